import type { Entry } from '../store/registry.ts'
import type { PageKind } from '../page/page-kind.ts'
import type { Markup } from '../document/headings.ts'
import type { OpenGeneration } from '../store/open-generation.ts'

/** A library version that a query searches. */
export type Collection = {
  entry: Entry
  /** The generation with all of its pages. */
  whole: OpenGeneration
  /** The generation limited to the pages that are searched. */
  open: OpenGeneration
  facts: ReadonlyMap<string, PageFacts>
  /** How strongly guides set the scale for the API reference (guides-and-api.ts). */
  guideShare: number
  /** Factor for the scores of a page's chunks, by the page's language. */
  languageWeight(url: string): number
  /** Factor for the scores of this library's hits if several libraries are searched. */
  gain: number
  /** Embeds a query with the model of the chunks. Null for full-text search only. */
  embed: ((text: string) => Promise<QueryEmbedding>) | null
}

/** `engine` identifies the model, arithmetic and device that computed the embedding. */
export type QueryEmbedding = { vector: Float32Array; engine: string }

/** Properties of a page for filters. */
export type PageFacts = {
  url: string
  path: string
  kind: PageKind
  /** Lower case, such as `pt-br`. Null if unknown, as for most untranslated pages. */
  language: string | null
  /** The same value for a page and all its translations. */
  original: string
  markup: Markup
  /** True for an API page outside the package's main module: `zod/mini`. */
  isInner: boolean
  /** The major version in a folder name, such as 3 for `zod/v3/types.d.ts`. */
  major: number | null
}
