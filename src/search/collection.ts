import type { OpenGeneration } from '../store/reading.ts'
import type { Entry } from '../store/registry.ts'
import type { QueryEmbedding } from './query-embedding.ts'
import type { PageFacts } from './scope/page-facts.ts'

/** A library version that a query searches. */
export type Collection = {
  entry: Entry
  /** The generation with all of its pages. */
  whole: OpenGeneration
  /** The generation limited to the pages that are searched. */
  open: OpenGeneration
  facts: ReadonlyMap<string, PageFacts>
  /** How much guides set the scale for the API reference (guides-and-api.ts). */
  guideShare: number
  /** Factor for the scores of a page's chunks, by the language of the page. */
  languageWeight(url: string): number
  /** Factor for the scores of this library's hits if several libraries are searched. */
  gain: number
  /** Embeds a query with the model that embedded the chunks; null if only full text is searched. */
  embed: ((text: string) => Promise<QueryEmbedding>) | null
}
