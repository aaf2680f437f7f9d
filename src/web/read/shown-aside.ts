import type { PageToShow } from '../../page/show/shown-page.ts'
import { messageOf, OgError } from '../../platform/error.ts'
import { openAside, type Aside } from '../../platform/aside/aside.ts'
import { ownCommand } from '../../platform/aside/own-command.ts'
import { sha256 } from '../../platform/hash.ts'
import { recent } from '../recent.ts'

let own: Aside | null = null

/** People read for minutes, and then go on: a process that has to start first makes them wait. */
const idleMs = 5 * 60_000

/** Who reads goes back and forth, and reloads; twice the characters of the pages. */
const shownBefore = recent<Promise<string>>(20e6)

/**
 * `pageHtml`, done aside like all that is done with long text of strangers; what was shown lately
 * is not rendered again.
 * @throws OgError where that takes too long, or too much memory
 */
export function shownAside(page: PageToShow): Promise<string> {
  const json = JSON.stringify(page)
  const key = sha256(json)
  return shownBefore.of(key, 2 * json.length, () => show(page).catch((error) => {
    shownBefore.drop(key)
    const hint = 'og get prints its text'
    throw new OgError(`Cannot show the page: ${messageOf(error)}`, { hint, cause: error })
  }))
}

function show(page: PageToShow): Promise<string> {
  own ??= openAside(ownCommand(), { idleMs })
  return own.run<string>('show', page, { doing: 'showing', bytes: page.text.length })
}

/**
 * Starts the process, and has it show enough that its code is compiled before a long page comes:
 * who sees hits soon reads one.
 */
export function expectReading(): void {
  if (Date.now() - expectedAt < idleMs) return
  expectedAt = Date.now()
  // Why it does not start is told by the page that needs it.
  warm().catch(() => {})
}

/** One after the other, so that a page that is read meanwhile waits for one of them at most. */
async function warm(): Promise<void> {
  const page = { text: warming.repeat(240), markup: 'markdown' as const }
  for (let i = 0; i < warmings; i++) await show(page)
}

let expectedAt = -Infinity

/** The first of 60 KB takes six times as long as the fifth, each of the next about as long. */
const warmings = 5

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
