import type { PageToShow } from '../../page/show/shown-page.ts'
import { messageOf, OgError } from '../../platform/error.ts'
import { openAside, type Aside } from '../../platform/aside/aside.ts'
import { ownCommand } from '../../platform/aside/own-command.ts'
import { sha256 } from '../../platform/hash.ts'
import { recent } from '../recent.ts'

let own: Aside | null = null

/** People read for minutes, and then go on: a process that has to start first makes them wait. */
const idleMs = 5 * 60_000

/** A page as far as it is shown; `more` settles when another piece is there, or none follows. */
type Shown = { pieces: string[]; isWhole: boolean; more: PromiseWithResolvers<void> }

/** Who reads goes back and forth, and reloads; twice the characters of the pages. */
const shownBefore = recent<Shown>(20e6)

/**
 * `pagePieces`, done aside like all that is done with long text of strangers; what was shown lately
 * is not rendered again. What is there comes together.
 * @throws OgError where that takes too long, or too much memory
 */
export async function* shownAside(page: PageToShow): AsyncGenerator<string> {
  isRead = true
  const json = JSON.stringify(page)
  const key = sha256(json)
  const shown = shownBefore.of(key, 2 * json.length, () => show(page, () => shownBefore.drop(key)))
  for (let given = 0; ;) {
    const text = shown.pieces.slice(given).join('')
    given = shown.pieces.length
    if (text !== '') yield text
    if (given < shown.pieces.length) continue
    if (shown.isWhole) return
    await shown.more.promise
  }
}

function show(page: PageToShow, onFailure: () => void): Shown {
  const shown: Shown = { pieces: [], isWhole: false, more: awaited() }
  const answer = async (numbered: string) => {
    const [, number, piece] = /^(\d+) ([^]*)$/.exec(numbered)!
    // Where the process has ended meanwhile another one begins anew.
    if (Number(number) < shown.pieces.length) return
    shown.pieces.push(piece!)
    shown.more.resolve()
    shown.more = awaited()
  }
  aside().run<void>('show', page, { doing: 'showing', bytes: page.text.length, answer }).then(
    () => {
      shown.isWhole = true
      shown.more.resolve()
    },
    (error) => {
      onFailure()
      const hint = 'og get prints its text'
      shown.more.reject(
        new OgError(`Cannot show the page: ${messageOf(error)}`, { hint, cause: error }))
    },
  )
  return shown
}

function awaited(): PromiseWithResolvers<void> {
  const more = Promise.withResolvers<void>()
  // Perhaps nobody reads on.
  more.promise.catch(() => {})
  return more
}

function aside(): Aside {
  return (own ??= openAside(ownCommand(), { idleMs }))
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
  const page = { text: warming.repeat(48), markup: 'markdown' as const }
  isRead = false
  // What is read warms it as well, and somebody waits for that.
  for (let i = 0; i < warmings && !isRead; i++) {
    await aside().run('show', page, { answer: async () => {} })
  }
}

let expectedAt = -Infinity
let isRead = false

/** After 300 KB in all a page takes a sixth of the time. */
const warmings = 25

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
