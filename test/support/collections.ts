import type { Embedder } from '../../src/embed/embedder.ts'
import type { Collection } from '../../src/search/collection.ts'
import { embedSearchQuery } from '../../src/search/query-embedding.ts'
import { pageFacts } from '../../src/search/scope/page-facts.ts'
import { readEntries } from '../../src/store/registry.ts'
import { openLive } from './store.ts'
import type { OpenGeneration } from '../../src/store/open-generation.ts'

/** The collections of library versions, with all their pages. */
export type OpenCollections = Disposable & {
  /** `by` embeds queries; without it only full text is searched. */
  asked(by?: Embedder): Collection[]
}

/** Opens all live libraries of a store, in the order of the registry. */
export async function openCollections(folder: string): Promise<OpenCollections> {
  const opened = await openLive(folder)
  const entries = await readEntries(folder)
  const all = await Promise.all(
    opened.map(async (open: OpenGeneration) => ({
      entry: entries.find(({ live }) => live.id === open.generation.id)!,
      whole: open,
      open,
      facts: await pageFacts(open),
      languageWeight: () => 1,
      guideShare: 1,
      gain: 1,
    })),
  )
  return {
    asked(by) {
      const embed = by ? (text: string) => embedSearchQuery(by, text) : null
      return all.map((one) => ({ ...one, embed }))
    },
    [Symbol.dispose]: () => opened.forEach((open) => open[Symbol.dispose]()),
  }
}
