import type { Markup } from '../document/headings.ts'

/** A fetched document. Its `url` identifies it within a library version. */
export type Page = {
  url: string
  /** Path inside the source, `/`-separated, no leading slash: `docs/en/tutorial/body.md`. */
  path: string
  title: string
  description: string
  /** Exact normalised text: LF line ends, no BOM, front matter removed, no NUL. */
  text: string
  markup: Markup
  /** The contents trees of a Sphinx page: see references/toctree.ts. */
  toctree?: string
  /** BCP 47 tag, if the page or its path states one. */
  language?: string
  /** HTTP date or ISO date, if the source provides one. */
  lastModified: string | null
}

/** The version of the parsers. When it changes, og parses stored pages again. */
export const parserVersion = '26'
