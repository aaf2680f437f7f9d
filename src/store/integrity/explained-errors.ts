import type { OpenGeneration } from '../reading.ts'

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
