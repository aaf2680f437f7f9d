import type { IncludeFinder } from './include/include-file.ts'
import type { ParsedFile, ParsedText, FilePart } from './parsed-text.ts'
import { isLikeRst } from './rst/rst.ts'

/**
 * A file format of pages. To add a format, write a parser and an entry in `formats`. Parsers are
 * loaded at first use, because a query needs only the extensions.
 */
type Format = {
  /** Lower case, with a dot. A page whose URL has no extension has the first one. */
  extensions: readonly string[]
  /** Lower case, without parameters. Requests ask for the first one. */
  mediaTypes: readonly string[]
  /** Media types that other kinds of files share. For these, the extension decides. */
  sharedTypes?: readonly string[]
  /** Parses text without front matter or includes. Throws if it is not a page. */
  parse?(text: string, file: ParsedFile): ParsedText | Promise<ParsedText>
  /** Parses a binary file. @throws OgError if it is not a page */
  parseBytes?(bytes: Uint8Array, file: { path: string; url: string }): Promise<ParsedText>
  /** Extensions that are pages only if a parent folder contains a file that matches `marker`. */
  marked?: { extensions: readonly string[]; marker: RegExp }
  /** Returns true if a file with one of these extensions is a page. By default, all are. */
  isNamed?(path: string): boolean
  /** True if a `---` block at the start is not front matter. */
  hasNoFrontMatter?: true
  /** Loads the function that finds includes. Without it, pages of this format have no includes. */
  includes?(): Promise<IncludeFinder>
  /** Extensions of files that pages include as text and that are not pages themselves. */
  includedExtensions?: readonly string[]
  /** Returns true if a plain-text file looks like this format. */
  isLike?(text: string): boolean
  /** Set if such files often contain data. A folder of them is then not documentation. */
  isOften?: 'other-data'
}

const table = {
  markdown: {
    extensions: ['.md', '.markdown', '.qmd', '.rmd', '.livemd', '.cheatmd', '.tutorial'],
    mediaTypes: ['text/markdown', 'text/x-markdown'],
    parse: lazily(async () => (await import('./markdown/parse-markdown.ts')).parseMarkdown),
    includes: async () => (await import('./include/include-markdown.ts')).markdownInclude,
  },
  mdx: {
    extensions: ['.mdx'],
    mediaTypes: ['text/mdx', 'text/x-mdx'],
    parse: lazily(async () => (await import('./markdown/parse-markdown.ts')).parseMdx),
    includes: async () => (await import('./include/include-markdown.ts')).markdownInclude,
  },
  doxygen: {
    extensions: ['.dox'],
    mediaTypes: ['text/x-doxygen'],
    hasNoFrontMatter: true,
    parse: lazily(async () => (await import('./doxygen.ts')).parseDoxygen),
    includes: async () => (await import('./include/include-markdown.ts')).markdownInclude,
  },
  rst: {
    extensions: ['.rst'],
    mediaTypes: ['text/x-rst', 'text/prs.fallenstein.rst'],
    parse: lazily(async () => (await import('./rst/rst-markdown.ts')).parseRst),
    isLike: isLikeRst,
    includes: async () => (await import('./include/include-rst.ts')).rstInclude,
  },
  asciidoc: {
    extensions: ['.adoc', '.asciidoc'],
    mediaTypes: ['text/asciidoc', 'text/x-asciidoc'],
    parse: lazily(async () => (await import('./asciidoc/asciidoc.ts')).parseAsciidoc),
    includes: async () => (await import('./include/include-asciidoc.ts')).asciidocInclude,
    includedExtensions: ['.asc'],
  },
  notebook: {
    extensions: ['.ipynb'],
    mediaTypes: ['application/x-ipynb+json'],
    sharedTypes: ['application/json'],
    parse: byPath(async () => (await import('./notebook.ts')).parseNotebook),
    isOften: 'other-data',
  },
  html: {
    extensions: ['.html', '.htm'],
    mediaTypes: ['text/html', 'application/xhtml+xml'],
    parse: byPath(async () => (await import('./html/html.ts')).parseHtml),
    isOften: 'other-data',
  },
  openapi: {
    extensions: ['.json', '.yaml', '.yml'],
    mediaTypes: ['application/vnd.oai.openapi', 'application/vnd.oai.openapi+json'],
    sharedTypes: ['application/json', 'application/yaml', 'application/x-yaml', 'text/yaml'],
    isNamed: isApiPath,
    hasNoFrontMatter: true,
    parse: async (text, { path }) => {
      const { openApiPages } = await import('./openapi/openapi.ts')
      return partsOf(await openApiPages(text, path))
    },
    isOften: 'other-data',
  },
  man: {
    extensions: ['.1', '.2', '.3', '.4', '.5', '.6', '.7', '.8', '.man', '.mdoc'],
    mediaTypes: ['text/troff', 'application/x-troff-man'],
    isNamed: isManPath,
    hasNoFrontMatter: true,
    parse: byPath(async () => (await import('./man/man.ts')).parseMan),
    isOften: 'other-data',
  },
  'compressed man': {
    extensions: ['.1.gz', '.2.gz', '.3.gz', '.4.gz', '.5.gz', '.6.gz', '.7.gz', '.8.gz'],
    mediaTypes: ['application/x-troff-man+gzip'],
    isNamed: (path) => isManPath(path.slice(0, -'.gz'.length)),
    parseBytes: byPath(async () => (await import('./man/man.ts')).parseCompressedMan),
    isOften: 'other-data',
  },
  rd: {
    extensions: ['.rd'],
    mediaTypes: ['text/x-r-doc'],
    hasNoFrontMatter: true,
    parse: byPath(async () => (await import('./rd/rd.ts')).parseRd),
    isOften: 'other-data',
  },
  pod: {
    extensions: ['.pod', '.pm'],
    mediaTypes: ['text/x-pod', 'application/x-pod'],
    hasNoFrontMatter: true,
    parse: byPath(async () => (await import('./pod.ts')).parsePod),
    isOften: 'other-data',
  },
  org: {
    extensions: ['.org'],
    mediaTypes: ['text/org', 'text/x-org'],
    hasNoFrontMatter: true,
    parse: byPath(async () => (await import('./org.ts')).parseOrg),
  },
  docbook: {
    extensions: ['.docbook', '.dbk', '.sgml', '.xml'],
    mediaTypes: ['application/docbook+xml'],
    marked: { extensions: ['.xml'], marker: /\.ent(?:\.in)?$/ },
    hasNoFrontMatter: true,
    parse: lazily(async () => (await import('./docbook/docbook.ts')).parseDocbook),
    isOften: 'other-data',
  },
  epub: {
    extensions: ['.epub'],
    mediaTypes: ['application/epub+zip'],
    parseBytes: async (bytes, { path }) => {
      const { epubPages } = await import('./office/epub.ts')
      const { pages, language } = await epubPages(bytes, path)
      return { ...partsOf(pages), language }
    },
    isOften: 'other-data',
  },
  docx: {
    extensions: ['.docx'],
    mediaTypes: ['application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
    parseBytes: byPath(async () => (await import('./office/docx.ts')).parseDocx),
    isOften: 'other-data',
  },
  pdf: {
    extensions: ['.pdf'],
    mediaTypes: ['application/pdf'],
    parseBytes: byPath(async () => (await import('./pdf/pdf.ts')).parsePdf),
    isOften: 'other-data',
  },
  text: {
    extensions: ['.txt'],
    mediaTypes: ['text/plain'],
    parse: (text) => ({ text, markup: 'text' }),
    isOften: 'other-data',
  },
} satisfies Record<string, Format>

function lazily(load: () => Promise<NonNullable<Format['parse']>>): NonNullable<Format['parse']> {
  return async (text, file) => (await load())(text, file)
}

type Parsed = ParsedText | Promise<ParsedText>

/** Adapts a parser that needs only the location of the file. */
function byPath<T>(load: () => Promise<(source: T, path: string, url: string) => Parsed>) {
  return async (source: T, { path, url }: { path: string; url: string }) =>
    (await load())(source, path, url)
}

/** Converts a file with several pages. The first page lists the others. */
function partsOf([first, ...parts]: FilePart[]): ParsedText {
  const { title, description, text } = first!
  return { title, description, text, parts }
}

/** True for names of OpenAPI descriptions. Other JSON and YAML files are data. */
function isApiPath(path: string): boolean {
  return /(?:^|[-_./])(?:openapi|swagger|oas[23]?|api-?spec|api-?docs)(?:[-_.\d/]|$)/i.test(path)
}

/** True for manual pages such as `tar.1`, but not for `libz.so.1` or `notes-1.2`. */
function isManPath(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1)
  if (/\.(?:man|mdoc)$/i.test(name)) return true
  const stem = name.replace(/\.\d$/, '')
  return /^[A-Za-z_][\w.+:@-]*$/.test(stem) && !/(?:^|[-_.v])\d+$|\.(?:so|log|bak|min)$/i.test(stem)
}

export type FormatName = keyof typeof table

/** All page formats. No other table lists extensions and media types of pages. */
export const formats: Readonly<Record<FormatName, Format>> = table

const all = Object.entries(formats) as [FormatName, Format][]

/** Extensions of pages in lower case with a dot. */
export const pageExtensions: readonly string[] = all.flatMap(([, { extensions }]) => extensions)

/** Returns a page's format by its extension and, for `.txt`, its text; null for other files. */
export function formatOf(path: string, text?: string): FormatName | null {
  if (text === undefined) return namedFormat(path)
  const name = byExtension.get(extensionOf(path)) ?? null
  if (name !== 'text') return name
  return all.find(([, { isLike }]) => isLike?.(text))?.[0] ?? name
}

/** Returns the format of an included file, or null if it cannot be included as text. */
export function includedFormatOf(path: string): FormatName | null {
  const extension = extensionOf(path)
  return (
    byExtension.get(extension) ??
    all.find(([, it]) => it.includedExtensions?.includes(extension))?.[0] ??
    null
  )
}

/** Returns the format with a media type (without parameters), or null. */
export function formatOfMediaType(type: string): FormatName | null {
  return all.find(([, { mediaTypes }]) => mediaTypes.includes(type))?.[0] ?? null
}

/** Removes the page extension from a path or URL. */
export function withoutPageExtension(path: string): string {
  return namedFormat(path) === null ? path : path.slice(0, path.length - extensionOf(path).length)
}

/** True if a file can be a page according to its extension. */
export function hasPageExtension(path: string): boolean {
  return byExtension.has(extensionOf(path))
}

/** Returns a file's format by its extension and, if formats share the extension, its name. */
function namedFormat(path: string): FormatName | null {
  const name = byExtension.get(extensionOf(path)) ?? null
  return name === null || (formats[name].isNamed?.(path) ?? true) ? name : null
}

const byExtension = new Map(
  all.flatMap(([name, { extensions }]) =>
    extensions.map((extension) => [extension, name] as const),
  ),
)

function extensionOf(path: string): string {
  return /(?:\.[1-8](?=\.gz$))?\.[^./]*$/i.exec(path)?.[0].toLowerCase() ?? ''
}
