import type { PageToShow } from '../../page/show/page-html.ts'
import { messageOf, OgError } from '../../platform/error.ts'
import { openAside, type Aside } from '../../platform/aside/aside.ts'
import { ownCommand } from '../../platform/aside/own-command.ts'
import { sha256 } from '../../platform/hash.ts'
import { recent } from '../recent.ts'

let own: Aside | null = null

/** How long the idle process is kept: people read for minutes before they open the next page. */
const idleMs = 5 * 60_000

/** A page as far as it is rendered; `more` settles at the next piece, or when none follows. */
type Shown = { pieces: string[]; isWhole: boolean; more: PromiseWithResolvers<void> }

/** Rendered pages, for readers who go back or reload; sizes are twice the length of a page. */
const shownBefore = recent<Shown>(20e6)

/**
 * Runs `pagePieces` in a process of its own, as all work on long untrusted text; recent pages are
 * not rendered again. Pieces that are ready at the same time come as one.
 * @throws OgError where rendering takes too long, or too much memory
 */
export async function* shownAside(page: PageToShow): AsyncGenerator<string> {
  isRead = true
  const json = JSON.stringify(page)
  const key = sha256(json)
  const shown = shownBefore.of(key, 2 * json.length, () => show(page, () => shownBefore.drop(key)))
  for (let given = 0; ; ) {
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
    // A process that replaces one which ended sends the pieces again from the first.
    if (Number(number) < shown.pieces.length) return
    shown.pieces.push(piece!)
    shown.more.resolve()
    shown.more = awaited()
  }
  aside()
    .run<void>('show', page, { doing: 'showing', bytes: page.text.length, answer })
    .then(
      () => {
        shown.isWhole = true
        shown.more.resolve()
      },
      (error) => {
        onFailure()
        const hint = 'og get prints its text'
        shown.more.reject(
          new OgError(`Cannot show the page: ${messageOf(error)}`, { hint, cause: error }),
        )
      },
    )
  return shown
}

function awaited(): PromiseWithResolvers<void> {
  const more = Promise.withResolvers<void>()
  // Nobody may be reading on; then the rejection must not count as unhandled.
  more.promise.catch(() => {})
  return more
}

function aside(): Aside {
  return (own ??= openAside(ownCommand(), { idleMs }))
}

/**
 * Starts the process and lets it render enough that its code is compiled before a long page comes.
 * Called when hits are shown, since the user is likely to read one soon.
 */
export function expectReading(): void {
  if (Date.now() - expectedAt < idleMs) return
  expectedAt = Date.now()
  // An error is ignored here: the page that needs the process reports it.
  warm().catch(() => {})
}

/** Renders one sample after another, so that a real page waits for one of them at most. */
async function warm(): Promise<void> {
  const page = { text: warming.repeat(48), markup: 'markdown' as const }
  isRead = false
  // A real page warms up the process as well, and a reader waits for it.
  for (let i = 0; i < warmings && !isRead; i++) {
    await aside().run('show', page, { answer: async () => {} })
  }
}

let expectedAt = -Infinity
let isRead = false

/** Sample pages to render: after 300 KB in all a page takes a sixth of the time. */
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
