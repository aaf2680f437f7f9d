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

/**
 * Starts the process, and has it show enough that its code is compiled before a long page comes:
 * who sees hits soon reads one.
 */
export function expectReading(): void {
  if (Date.now() - expectedAt < idleMs) return
  expectedAt = Date.now()
  // Why it does not start is told by the page that needs it.
  shownAside({ text: warming.repeat(120), markup: 'markdown' }).catch(() => {})
}

let expectedAt = -Infinity

const warming = `## A \`b\`

Words **in** prose, a [link](c) and https://d.example. "Quoted", it's <b>raw</b>.

- one
- two [e][f]

\`\`\`py
def g(h: str = "i") -> None:  # j
    return None
\`\`\`

|k|l|
|-|-|
|1|2|

[f]: g
`
