import { createHash } from 'node:crypto'
import { normalizeText } from '../formats/decode.ts'
import { firstProse } from '../page/description.ts'
import { formatOf } from '../formats/formats.ts'
import { rstToMarkdown } from '../formats/rst/rst-markdown.ts'
import type { Page } from '../page/page.ts'
import { titleFromHeadings, titleFromPath } from '../document/title.ts'
import { trimCharacters } from '../platform/text/trim.ts'
import { decodePercent } from './page-address.ts'
import { headings, type Markup } from '../document/headings.ts'

export type RawPage = {
  url: string
  library_name: string
  version: string
  title: string | null
  description: string | null
  last_modified: string | null
  content: string
}

/** Renders a raw page with upstream's key order, an indentation of two spaces, and ASCII only. */
export function renderRawPage(page: Page, library: { library: string; version: string }): string {
  const raw: RawPage = {
    url: page.url,
    library_name: library.library,
    version: library.version,
    title: page.title || null,
    description: page.description || null,
    last_modified: page.lastModified,
    content: page.text,
  }
  return JSON.stringify(raw, null, 2).replace(/[\u007f-\uffff]/g, escapeUnicode)
}

/** Reads a raw page from parsed JSON, or returns null. Missing keys are empty. */
export function parseRawPage(content: unknown): RawPage | null {
  if (typeof content !== 'object' || content === null || Array.isArray(content)) return null
  const { url, content: body, version, ...rest } = content as Record<string, unknown>
  if (typeof url !== 'string' || url === '' || typeof body !== 'string') return null
  return {
    url,
    library_name: textOr(rest.library_name, null) ?? '',
    version: textOr(version, null) ?? 'latest',
    title: textOr(rest.title, null),
    description: textOr(rest.description, null),
    last_modified: textOr(rest.last_modified, null),
    content: body,
  }
}

/**
 * Converts a raw page to a page. Replaces a title that upstream made from the file name with the
 * page's own heading, and a generated description with the first prose.
 */
export function rawPageToPage(raw: RawPage): Page {
  const path = pathOf(raw)
  const { text, markup } = textOf(normalizeText(raw.content), path)
  const list = headings(text, markup)
  const title = raw.title === null || isFromFileName(raw.title, path) ? null : raw.title
  const description = raw.description?.match(generatedDescription) ? null : raw.description
  return {
    url: raw.url,
    path,
    title: title ?? titleFromHeadings(list, text, path) ?? raw.title ?? titleFromPath(path),
    description: description ?? firstProse(text, { markup, headings: list }),
    text,
    markup,
    lastModified: raw.last_modified || null,
  }
}

/**
 * Returns a raw page's file name. This is upstream's name, which depends only on the path of the
 * page's URL. Appends a hash of the URL if a different page has that name, or if it is too long for
 * a file system. `usedNames` maps lower-case names to URLs; the new name is added to it.
 */
export function rawFileName(url: string, usedNames: Map<string, string>): string {
  const path = URL.canParse(url) ? new URL(url).pathname : url
  const plain = trimCharacters(path, '/').replace(/[/\\:*?"<>|\u0000-\u001f]/g, '-') || 'home'
  const hash = createHash('sha256').update(url).digest('hex').slice(0, 8)
  const slug = Buffer.byteLength(plain) > 180 ? `${plain.slice(0, 60)}-${hash}` : plain
  const owner = usedNames.get(slug.toLowerCase()) ?? url
  const stem = owner === url ? slug : `${slug.slice(0, 170)}-${hash}`
  usedNames.set(stem.toLowerCase(), url)
  return `${stem}.json`
}

const generatedDescription = /^(?:Documentation file|Jupyter notebook) from (.+)$/

function textOr<T>(value: unknown, otherwise: T): string | T {
  return typeof value === 'string' && value !== '' ? value : otherwise
}

/** Returns the path inside the source, from the description, a forge's URL or any other URL. */
function pathOf({ url, description }: RawPage): string {
  const statedPath = /^Documentation file from (.+)$/.exec(description ?? '')?.[1]
  const whole = URL.canParse(url) ? new URL(url).pathname : url
  const inRepository = /\/(?:-\/)?(?:tree|blob)\/[^/]+\/(.+)$/.exec(whole)?.[1]
  const path = statedPath ?? decodePercent(inRepository ?? whole)
  return trimCharacters(path.replaceAll('\\', '/'), '/') || 'index'
}

function isFromFileName(title: string, path: string): boolean {
  if (title === 'Unknown') return true
  const stem = path.replace(/^.*\//, '').replace(/\.\w+$/, '')
  return title.toLowerCase() === stem.replace(/[-_]/g, ' ').toLowerCase()
}

/**
 * Returns the text as Markdown or plain text. Upstream converts HTML and notebooks to Markdown and
 * keeps other formats.
 */
function textOf(text: string, path: string): { text: string; markup: Markup } {
  const format = formatOf(path, text)
  if (format === 'rst') return { text: rstToMarkdown(text), markup: 'markdown' }
  return { text, markup: format === 'text' ? 'text' : 'markdown' }
}

function escapeUnicode(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`
}
