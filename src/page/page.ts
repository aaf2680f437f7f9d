/** The markup of a page's text. It determines the syntax of headings, fences and tables. */
export type Markup = 'markdown' | 'text'

/** A section title of a page. The headings of the text never overlap and are in text order. */
export type Heading = {
  /** Start of the heading's first line, which is the paragraph of a setext heading. */
  offset: number
  /** The offset just after the heading's last line, including its line break. */
  end: number
  /** From 1: the number of #; in rst the order of adornments in the text. */
  level: number
  /** The text without markup, never empty, at most 300 characters. */
  title: string
  /** The id that the author assigned: `{#id}`, `<h2 id="…">`. */
  anchor?: string
}

/** One fetched document. Its `url` identifies it within a library version. */
export type Page = {
  url: string
  /** Path inside the source, `/`-separated, no leading slash: `docs/en/tutorial/body.md`. */
  path: string
  title: string
  description: string
  /** Exact normalised text: LF line ends, no BOM, front matter removed, no NUL. */
  text: string
  markup: Markup
  /** The contents trees of a Sphinx page: see reference/toctree.ts. */
  toctree?: string
  /** BCP 47 tag, if the page or its path states one. */
  language?: string
  /** HTTP date or ISO date, if the source provides one. */
  lastModified: string | null
}

/** The version of the parsers. When it changes, og parses stored pages again. */
export const parserVersion = '26'
