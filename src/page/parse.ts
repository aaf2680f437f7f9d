import { decodeText, unreadable } from './decode.ts'
import { firstProse } from './description.ts'
import { parseFrontMatter } from './front-matter.ts'
import type { FrontMatter } from './front-matter.ts'
import { headings } from './headings.ts'
import { asciidocText } from './asciidoc/asciidoc.ts'
import { parseHtml } from './html/html.ts'
import { growthOf, type Growth } from './growth.ts'
import { expandIncludes } from './include/include.ts'
import type { Dialect, IncludedFiles } from './include/include.ts'
import { withoutFences } from './markdown/fence.ts'
import { markdownText } from './markdown/markdown-text.ts'
import { mdxText } from './markdown/mdx.ts'
import { parseNotebook } from './notebook.ts'
import { pageExtensions, type Markup, type Page } from './page.ts'
import { isLikeRst } from './rst/rst.ts'
import { rstText } from './rst/rst-text.ts'
import { headingTitle, pathTitle } from './title.ts'

/** A file as a source found it. `path` is `/`-separated and relative to the source. */
export type PageFile = {
  bytes: Uint8Array
  path: string
  url: string
  /** HTTP date or ISO date where the source knows one. */
  lastModified?: string | null
}

/**
 * Parses a file into a page, by its extension. Markdown and rst keep their markup; includes are
 * replaced by the files that `included` can read; containers, directives, roles and components
 * become their text. AsciiDoc, notebooks and HTML become Markdown.
 * Throws OgError with a one-line reason if the file is not a page.
 */
export async function parsePage(file: PageFile, included?: IncludedFiles): Promise<Page> {
  const extension = extensionOf(file.path)
  if (!pageExtensions.includes(extension)) throw unreadable(file.path, 'not a page by extension')
  const source = decodeText(file.bytes, file.path)
  const { markup, title, description, language, text, written } =
    await content(source, { ...file, extension, included })
  const list = headings(text, markup)
  const said = (name: string) => extension === '.mdx' ? exported(source, name) : null
  return {
    url: file.url,
    path: file.path,
    title: title ?? headingTitle(list) ?? said('title') ?? pathTitle(file.path),
    description: description ?? said('description')
      ?? firstProse(written, { markup, headings: headings(written, markup) }),
    text,
    markup,
    ...(language ? { language } : {}),
    lastModified: file.lastModified ?? null,
  }
}

/** The dialect of a file whose includes `parsePage` resolves; null if it resolves none in it. */
export function dialectOf(path: string, text: string): Dialect | null {
  const extension = extensionOf(path)
  if (extension === '.rst') return 'rst'
  if (extension === '.txt') return isLikeRst(text) ? 'rst' : 'text'
  if (extension === '.adoc' || extension === '.asciidoc') return 'asciidoc'
  return /^\.(?:md|mdx|markdown)$/.test(extension) ? 'markdown' : null
}

/** The content of a page. `written` is the text before notes and tabs became plain text. */
type Content = FrontMatter & { markup: Markup; written: string }
type Kind = { extension: string; path: string; url: string; included: IncludedFiles | undefined }

function extensionOf(path: string): string {
  return /\.[^./]*$/.exec(path)?.[0].toLowerCase() ?? ''
}

async function content(source: string, { extension, path, url, included }: Kind): Promise<Content> {
  if (extension === '.html' || extension === '.htm') {
    const page = parseHtml(source, path, url)
    return { ...page, markup: 'markdown', written: page.text }
  }
  if (extension === '.ipynb') return notebookContent(source, path)
  const parsed = parseFrontMatter(source)
  const dialect = dialectOf(path, parsed.text) ?? 'text'
  const growth = growthOf(parsed.text.length)
  const whole = included
    ? await expandIncludes(parsed.text, { files: included, dialect, growth }) : parsed.text
  // Checked here too, before the grown text is scanned.
  refuseGrown(path, growth)
  const page = readable(whole, { dialect, isMdx: extension === '.mdx', growth })
  refuseGrown(path, growth)
  return { ...parsed, ...page }
}

function refuseGrown(path: string, growth: Growth): void {
  const refusal = growth.refusal()
  if (refusal !== null) throw unreadable(path, refusal)
}

/** Reads a notebook. Quarto and Jupyter Book write front matter into its first raw cell. */
function notebookContent(source: string, path: string): Content {
  const { title, text } = parseNotebook(source, path)
  const parsed = parseFrontMatter(text)
  return { ...parsed, markup: 'markdown', title: title ?? parsed.title, written: parsed.text }
}

function readable(
  text: string,
  { dialect, isMdx, growth }: { dialect: Dialect; isMdx: boolean; growth: Growth },
): Pick<Content, 'text' | 'markup' | 'written'> {
  if (dialect === 'asciidoc') {
    const shown = asciidocText(text, growth)
    return { text: shown, markup: 'markdown', written: shown }
  }
  if (dialect === 'rst') return { text: rstText(text, growth), markup: 'rst', written: text }
  if (dialect === 'text') return { text, markup: 'text', written: text }
  const isComponents = isMdx || hasComponents(text)
  const shown = isComponents ? markdownText(mdxText(text), true) : markdownText(text)
  return { text: shown, markup: 'markdown', written: text }
}

/**
 * Whether a .md file is MDX: it begins with the import of a component, as in Docusaurus, or a note
 * or tabs are components in it, as in the documentation of Hugging Face.
 */
function hasComponents(text: string): boolean {
  if (!/^[^\S\n\r\u2028\u2029]*<[A-Zh]/m.test(text)) return false
  if (/^\s*import\s[^\n]*\sfrom\s+["'][^"'\n]+["'];?[ \t]*\n/.test(text)) return true
  // Not where code shows one.
  const prose = withoutFences(text)
  const [, name] = markdownComponent.exec(prose) ?? []
  return name !== undefined && prose.includes(`</${name}>`)
}

const markdownComponent = new RegExp(
  '^ *<(Tabs|Tip|Note|Warning|Info|Caution|Callout|CodeGroup|Steps|Accordion|CardGroup|Aside'
  + '|hfoptions)(?: [^\\n]*)?>', 'm')

/** A value that MDX exports: `export const title = "…"` or `meta = {` … `title: "…"` … `}`. */
function exported(source: string, name: string): string | null {
  const text = source.slice(0, 20_000)
  const plain = new RegExp(`^export const ${name}\\s*=\\s*(["'\`])([^\\n]*?)\\1`, 'm').exec(text)
  const object = /^export const (?:meta|metadata|frontmatter)\s*=\s*\{[^]{0,2000}?^\}/im.exec(text)
  const field = new RegExp(`\\b${name}["']?:\\s*(["'\`])([^\\n]*?)\\1`).exec(object?.[0] ?? '')
  return (plain ?? field)?.[2]?.trim() || null
}
