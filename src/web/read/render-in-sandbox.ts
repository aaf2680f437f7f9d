import type { PageToShow } from '../../page/show/page-html.ts'
import { messageOf, OgError } from '../../platform/error.ts'
import { openSandbox, type Sandbox } from '../../platform/sandbox/sandbox.ts'
import { sandboxCommand } from '../../platform/sandbox/sandbox-message.ts'
import { sha256 } from '../../platform/hash.ts'
import { openLruCache } from '../../platform/lru-cache.ts'

let own: Sandbox | null = null

/** Lifetime of an idle process. People read for minutes before they open the next page. */
const idleMs = 5 * 60_000

type Rendering = { pieces: string[]; isWhole: boolean; more: PromiseWithResolvers<void> }

const renderings = openLruCache<Rendering>(20e6)

/**
 * Runs `renderPagePieces` in a sandboxed process, because long untrusted text can take much time or
 * memory. Caches recent pages. Joins pieces that are ready at the same time.
 * @throws OgError if rendering takes too much time or memory
 */
export async function* renderInSandbox(page: PageToShow): AsyncGenerator<string> {
  isRead = true
  const json = JSON.stringify(page)
  const key = sha256(json)
  const rendering = renderings.of(key, 2 * json.length, () =>
    show(page, () => renderings.drop(key)),
  )
  for (let nPieces = 0; ; ) {
    const text = rendering.pieces.slice(nPieces).join('')
    nPieces = rendering.pieces.length
    if (text !== '') yield text
    if (nPieces < rendering.pieces.length) continue
    if (rendering.isWhole) return
    await rendering.more.promise
  }
}

function show(page: PageToShow, onFailure: () => void): Rendering {
  const rendering: Rendering = { pieces: [], isWhole: false, more: newSignal() }
  const answer = async (numbered: string) => {
    const [, number, piece] = /^(\d+) ([^]*)$/.exec(numbered)!
    // After a crash, the new process sends all pieces again.
    if (Number(number) < rendering.pieces.length) return
    rendering.pieces.push(piece!)
    rendering.more.resolve()
    rendering.more = newSignal()
  }
  ownSandbox()
    .run<void>('show', page, { doing: 'showing', bytes: page.text.length, answer })
    .then(
      () => {
        rendering.isWhole = true
        rendering.more.resolve()
      },
      (error) => {
        onFailure()
        const hint = 'og get prints its text'
        rendering.more.reject(
          new OgError(`Cannot show the page: ${messageOf(error)}`, { hint, cause: error }),
        )
      },
    )
  return rendering
}

function newSignal(): PromiseWithResolvers<void> {
  const more = Promise.withResolvers<void>()
  // Without a waiting reader, the rejection must not count as unhandled.
  more.promise.catch(() => {})
  return more
}

function ownSandbox(): Sandbox {
  return (own ??= openSandbox(sandboxCommand(), { idleMs }))
}

/**
 * Starts the process and renders samples, so that its code is compiled before a long page arrives.
 * The search calls this when it shows hits, because the user will probably open one.
 */
export function warmUpRenderer(): void {
  if (Date.now() - expectedAt < idleMs) return
  expectedAt = Date.now()
  // The page that needs the process reports the error.
  warm().catch(() => {})
}

/** Renders the samples one by one, so that a real page waits for at most one of them. */
async function warm(): Promise<void> {
  const page = { text: sample.repeat(48), markup: 'markdown' as const }
  isRead = false
  // Stops at the first real page, because that page warms up the process too.
  for (let i = 0; i < nSamples && !isRead; i++) {
    await ownSandbox().run('show', page, { answer: async () => {} })
  }
}

let expectedAt = -Infinity
let isRead = false

const nSamples = 25

const sample = `## A \`b\`

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
