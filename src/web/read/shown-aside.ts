import type { PageToShow } from '../../page/show/shown-page.ts'
import { messageOf, OgError } from '../../platform/error.ts'
import { openAside, type Aside } from '../../platform/aside/aside.ts'
import { ownCommand } from '../../platform/aside/own-command.ts'

let own: Aside | null = null

/** People read for a while, and then go on: a process that has to start first makes them wait. */
const idleMs = 60_000

/**
 * `pageHtml`, done aside like all that is done with long text of strangers.
 * @throws OgError where that takes too long, or too much memory
 */
export async function shownAside(page: PageToShow): Promise<string> {
  own ??= openAside(ownCommand(), { idleMs })
  const options = { doing: 'showing', bytes: page.text.length }
  return own.run<string>('show', page, options).catch((error) => {
    const hint = 'og get prints its text'
    throw new OgError(`Cannot show the page: ${messageOf(error)}`, { hint, cause: error })
  })
}

/** Starts the process: who sees hits soon reads one. */
export function expectReading(): void {
  // Why it does not start is told by the page that needs it.
  shownAside({ text: warming, markup: 'markdown' }).catch(() => {})
}

const warming = '# A `b`\n\n- [c](d)\n\n```py\ndef e(): ...\n```\n\n|f|\n|-|\n'
