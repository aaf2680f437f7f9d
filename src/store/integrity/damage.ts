import { messageOf, OgError } from '../../platform/error.ts'
import type { Entry } from '../registry.ts'
import type { OpenGeneration } from '../reading.ts'

export class FileFault extends Error {}

export class Damage extends OgError {
  readonly id: string
  readonly library: string
  readonly version: string

  constructor({ library, version, live }: Damaged, problem: string, hint = mendingHint) {
    super(`Cannot read library "${library}" version "${version}": ${problem}`, { hint })
    this.id = live.id
    this.library = library
    this.version = version
  }
}

type Damaged = Pick<Entry, 'library' | 'version'> & { live: { id: string } }

const mendingHint = 'og doctor --repair builds it anew'

/** Returns LanceDB's message in one line, without source locations. */
export function describeLanceError(error: unknown): string {
  const [first = ''] = messageOf(error).split(/\s*Caused by:|,? ?\/\S+\.rs:|\bpanicked at\b|\n/)
  const plain = first.replaceAll(/\S*\.rs:\d+(?::\d+)?/g, '').trim()
  return plain === '' ? 'LanceDB cannot read it' : plain.slice(0, 300)
}

type Explain = (error: unknown) => Promise<Error>

/**
 * Wraps a generation so that its errors are explained: LanceDB's own errors name source files, and
 * rarely say that a file is damaged.
 */
export function withExplainedErrors(open: OpenGeneration, explain: Explain): OpenGeneration {
  const explainAnswer =
    <A extends unknown[], T>(ask: (...args: A) => Promise<T>) =>
    async (...args: A): Promise<T> =>
      ask(...args).catch(async (error) => {
        throw await explain(error)
      })
  const explainStream =
    <A extends unknown[], T>(read: (...args: A) => AsyncIterable<T>) =>
    (...args: A): AsyncGenerator<T> =>
      withExplainedItems(read(...args), explain)
  return {
    generation: open.generation,
    fullText: explainAnswer(open.fullText),
    fullTextOfAll: explainAnswer(open.fullTextOfAll),
    nearest: explainAnswer(open.nearest),
    pageIndex: explainAnswer(open.pageIndex),
    vocabulary: explainAnswer(open.vocabulary),
    prepareSearch: open.prepareSearch,
    within: (urls) => withExplainedErrors(open.within(urls), explain),
    chunks: explainAnswer(open.chunks),
    chunkHeadings: explainStream(open.chunkHeadings),
    bestScores: explainAnswer(open.bestScores),
    embeddings: explainAnswer(open.embeddings),
    chunkRanges: explainAnswer(open.chunkRanges),
    chunksOf: explainAnswer(open.chunksOf),
    page: explainAnswer(open.page),
    pageTexts: explainAnswer(open.pageTexts),
    pageStates: explainAnswer(open.pageStates),
    pages: explainStream(open.pages),
    chunkRows: explainStream(open.chunkRows),
    pagesByUrl: explainStream(open.pagesByUrl),
    chunksByPlace: explainStream(open.chunksByPlace),
    chunksBut: explainStream(open.chunksBut),
    embeddedChunks: explainStream(open.embeddedChunks),
    pageHeads: explainAnswer(open.pageHeads),
    license: explainAnswer(open.license),
    [Symbol.dispose]: () => open[Symbol.dispose](),
  }
}

async function* withExplainedItems<T>(read: AsyncIterable<T>, explain: Explain): AsyncGenerator<T> {
  const items = read[Symbol.asyncIterator]()
  try {
    for (;;) {
      const next = await items.next().catch(async (error) => {
        throw await explain(error)
      })
      if (next.done) return
      yield next.value
    }
  } finally {
    await items.return?.()
  }
}
