import type { OpenGeneration } from '../store/reading.ts'
import type { Entry } from '../store/registry.ts'
import type { QueryEmbedding } from './query-embedding.ts'
import type { PageFacts } from './scope/page-facts.ts'

/** A library version that a query is asked of. */
export type Collection = {
  entry: Entry
  /** With all of its pages. */
  whole: OpenGeneration
  /** With those that are searched. */
  open: OpenGeneration
  /** Of every page, by url. */
  facts: ReadonlyMap<string, PageFacts>
  /** What the language of a page makes of the score of its chunks. */
  languageWeight(url: string): number
  /** What its hits count beside those of other libraries. */
  gain: number
  /** Of a query, by the model that embedded the chunks; null: words alone are asked. */
  embed: ((text: string) => Promise<QueryEmbedding>) | null
}
