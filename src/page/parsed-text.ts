import type { ApiLookup } from './api-lookup.ts'
import type { GrowthLimit } from '../document/growth.ts'
import type { Markup } from './page.ts'
import type { ReferenceTitles } from './reference-key.ts'

export type ParsedFile = {
  path: string
  url: string
  growth: GrowthLimit
  /** Names and their values from the site's configuration. */
  variables?: ReadonlyMap<string, string> | undefined
  /** Finds the objects whose documentation the page shows; if absent, source files are not read. */
  lookup?: ApiLookup | undefined
  /** The titles of references without words; if absent, their labels are shown. */
  titles?: ReferenceTitles | undefined
}

/** One page of a file that contains several. Its `id` is unique in the file. */
export type FilePart = { id: string; title: string; description: string | null; text: string }

export type ParsedText = {
  text: string
  /** If absent, Markdown. */
  markup?: Markup
  /** The source text from which the description is taken; if absent, `text`. */
  written?: string
  title?: string | null
  description?: string | null
  language?: string | null
  /** The other pages of the file. */
  parts?: FilePart[]
  /** The fallback title and description of a page that has none of its own. */
  fallback?: { title: string | null; description: string | null }
}
