import type { OpenGeneration } from '../reading.ts'

/** Turns an error thrown while reading a generation into one that names the damage. */
type Explain = (error: unknown) => Promise<Error>

/**
 * Wraps a generation so that every error is explained: LanceDB's own errors name source files, and
 * rarely say that a file is damaged.
 */
export function guarded(open: OpenGeneration, explain: Explain): OpenGeneration {
  const asking =
    <A extends unknown[], T>(ask: (...args: A) => Promise<T>) =>
    async (...args: A): Promise<T> =>
      ask(...args).catch(async (error) => {
        throw await explain(error)
      })
  const reading =
    <A extends unknown[], T>(read: (...args: A) => AsyncIterable<T>) =>
    (...args: A): AsyncGenerator<T> =>
      explained(read(...args), explain)
  return {
    generation: open.generation,
    fullText: asking(open.fullText),
    fullTextOfAll: asking(open.fullTextOfAll),
    nearest: asking(open.nearest),
    pageIndex: asking(open.pageIndex),
    vocabulary: asking(open.vocabulary),
    within: (urls) => guarded(open.within(urls), explain),
    chunks: asking(open.chunks),
    chunkHeadings: reading(open.chunkHeadings),
    bestScores: asking(open.bestScores),
    embeddings: asking(open.embeddings),
    chunkRanges: asking(open.chunkRanges),
    chunksOf: asking(open.chunksOf),
    page: asking(open.page),
    pageTexts: asking(open.pageTexts),
    pageStates: asking(open.pageStates),
    pages: reading(open.pages),
    chunkRows: reading(open.chunkRows),
    pagesByUrl: reading(open.pagesByUrl),
    chunksByPlace: reading(open.chunksByPlace),
    chunksBut: asking(async (urls) => {
      const batches = await open.chunksBut(urls)
      return batches && explained(batches, explain)
    }),
    embeddedChunks: reading(open.embeddedChunks),
    pageHeads: asking(open.pageHeads),
    license: asking(open.license),
    [Symbol.dispose]: () => open[Symbol.dispose](),
  }
}

async function* explained<T>(read: AsyncIterable<T>, explain: Explain): AsyncGenerator<T> {
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
