/** How the text of a page is marked up; decides where headings, fences and tables are. */
export type Markup = 'markdown' | 'rst' | 'text'

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
  /** BCP 47, where the page says it, or its path does. */
  language?: string
  /** HTTP date or ISO date where the source knows one. */
  lastModified: string | null
}

/** Changes with whatever makes the text of a page from its file: then pages are parsed again. */
export const parserVersion = '4'

/** The extensions of files that can be pages, lower case, with their dot. */
export const pageExtensions: readonly string[] = [
  '.md', '.mdx', '.markdown', '.rst', '.txt', '.adoc', '.asciidoc', '.ipynb', '.html', '.htm',
]
