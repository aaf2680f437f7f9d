import type { Markup } from '../document/headings.ts'

/** A document. Its `url` is unique in a library version. */
export type Page = {
  url: string
  /** `/`-separated path in the source, without a leading slash: `docs/en/tutorial/body.md`. */
  path: string
  title: string
  description: string
  /** Normalized text: LF line ends, no BOM, no front matter and no NUL. */
  text: string
  markup: Markup
  /** The contents trees of a Sphinx page (references/toctree.ts). */
  toctree?: string
  /** A BCP 47 tag from the page or its path. */
  language?: string
  /** An HTTP date or ISO date from the source. */
  lastModified: string | null
}

/** The version of the parsers. A new version makes og parse stored pages again. */
export const parserVersion = '26'
