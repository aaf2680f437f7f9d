import { asciidocText } from './asciidoc/asciidoc.ts'
import type { Growth } from './growth.ts'
import { asciidocInclude } from './include/include-asciidoc.ts'
import { markdownInclude } from './include/include-markdown.ts'
import { rstInclude } from './include/include-rst.ts'
import type { IncludeFinder } from './include/include.ts'
import { withoutEditorMarks } from './markdown/editor-marks.ts'
import { markdownText } from './markdown/markdown-text.ts'
import { hasComponents, mdxText } from './markdown/mdx.ts'
import { exportedValue } from './markdown/mdx-module.ts'
import type { Markup } from './page.ts'
import { isLikeRst } from './rst/rst.ts'
import { rstText } from './rst/rst-text.ts'

/** A file format of pages. A new one needs an entry in `formats`, and its parser. */
export type Format = {
  /** Lower case, with the dot. A page whose address has no extension gets the first one. */
  extensions: readonly string[]
  /** Lower case, without parameters. The first one is requested from servers. */
  mediaTypes: readonly string[]
  /** Media types that other kinds of files have too: for these the extension decides. */
  sharedTypes?: readonly string[]
  /** Parses a text without front matter, its includes replaced. Throws OgError if it is no page. */
  parse(text: string, file: ParsedFile): Parsed | Promise<Parsed>
  /** Finds the includes of a page; null if pages of this format include no files. */
  includes: IncludeFinder | null
  /**
   * Extensions of files that pages include as text of this format, and that are not pages
   * themselves.
   */
  includedExtensions?: readonly string[]
  /** Whether a plain-text file looks like this format. */
  isLike?(text: string): boolean
  /** Set if such files are often data. A folder of them does not count as documentation. */
  isOften?: 'other-data'
}

type ParsedFile = {
  path: string
  url: string
  growth: Growth
  /** Values that the site's configuration gives to names. */
  variables?: ReadonlyMap<string, string> | undefined
}

export type Parsed = {
  text: string
  markup: Markup
  /** The source text from which the description is taken; absent: `text`. */
  written?: string
  title?: string | null
  description?: string | null
  language?: string | null
  /** The title and the description of a page that has none elsewhere. */
  fallback?: { title: string | null; description: string | null }
}

const table = {
  markdown: {
    extensions: ['.md', '.markdown'],
    mediaTypes: ['text/markdown', 'text/x-markdown'],
    parse: (text) => {
      const code = withoutEditorMarks(text)
      const shown = hasComponents(code) ? markdownText(mdxText(code), true) : markdownText(code)
      return { text: shown, markup: 'markdown', written: text }
    },
    includes: markdownInclude,
  },
  mdx: {
    extensions: ['.mdx'],
    mediaTypes: ['text/mdx', 'text/x-mdx'],
    parse: (text) => ({
      text: markdownText(mdxText(withoutEditorMarks(text)), true),
      markup: 'markdown',
      written: text,
      fallback: {
        title: exportedValue(text, 'title'),
        description: exportedValue(text, 'description'),
      },
    }),
    includes: markdownInclude,
  },
  rst: {
    extensions: ['.rst'],
    mediaTypes: ['text/x-rst', 'text/prs.fallenstein.rst'],
    parse: (text, { growth }) => ({ text: rstText(text, growth), markup: 'rst', written: text }),
    includes: rstInclude,
    isLike: isLikeRst,
  },
  asciidoc: {
    extensions: ['.adoc', '.asciidoc'],
    mediaTypes: ['text/asciidoc', 'text/x-asciidoc'],
    parse: (text, { growth, variables }) => ({
      text: asciidocText(text, growth, variables),
      markup: 'markdown',
    }),
    includes: asciidocInclude,
    includedExtensions: ['.asc'],
  },
  notebook: {
    extensions: ['.ipynb'],
    mediaTypes: ['application/x-ipynb+json'],
    sharedTypes: ['application/json'],
    parse: async (text, { path }) => {
      const { parseNotebook } = await import('./notebook.ts')
      return { ...parseNotebook(text, path), markup: 'markdown' }
    },
    includes: null,
    isOften: 'other-data',
  },
  html: {
    extensions: ['.html', '.htm'],
    mediaTypes: ['text/html', 'application/xhtml+xml'],
    parse: async (text, { path, url }) => {
      const { parseHtml } = await import('./html/html.ts')
      return { ...parseHtml(text, path, url), markup: 'markdown' }
    },
    includes: null,
    isOften: 'other-data',
  },
  text: {
    extensions: ['.txt'],
    mediaTypes: ['text/plain'],
    parse: (text) => ({ text, markup: 'text' }),
    includes: null,
    isOften: 'other-data',
  },
} satisfies Record<string, Format>

export type FormatName = keyof typeof table

/** Every format of pages. Extensions and media types of pages are listed nowhere else. */
export const formats: Readonly<Record<FormatName, Format>> = table

const all = Object.entries(formats) as [FormatName, Format][]

/** The extensions of files that can be pages, lower case, with their dot. */
export const pageExtensions: readonly string[] = all.flatMap(([, { extensions }]) => extensions)

/**
 * The format of a file by its extension; null if it is not a page. With `text`, a `.txt` file can
 * be recognised as another format.
 */
export function formatOf(path: string, text?: string): FormatName | null {
  const name = byExtension.get(extensionOf(path)) ?? null
  if (name !== 'text' || text === undefined) return name
  return all.find(([, { isLike }]) => isLike?.(text))?.[0] ?? name
}

/** The format of a file that another page includes; null if it cannot be part of a page. */
export function includedFormatOf(path: string): FormatName | null {
  const extension = extensionOf(path)
  return (
    byExtension.get(extension) ??
    all.find(([, it]) => it.includedExtensions?.includes(extension))?.[0] ??
    null
  )
}

/** The format of a media type without parameters; null if no format has that type. */
export function formatOfMediaType(type: string): FormatName | null {
  return all.find(([, { mediaTypes }]) => mediaTypes.includes(type))?.[0] ?? null
}

/** A path or an address without its page extension. */
export function withoutPageExtension(path: string): string {
  const extension = extensionOf(path)
  return byExtension.has(extension) ? path.slice(0, path.length - extension.length) : path
}

const byExtension = new Map(
  all.flatMap(([name, { extensions }]) =>
    extensions.map((extension) => [extension, name] as const),
  ),
)

function extensionOf(path: string): string {
  return /\.[^./]*$/.exec(path)?.[0].toLowerCase() ?? ''
}
