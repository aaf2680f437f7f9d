import {
  formatOf,
  formatOfMediaType,
  formats,
  withoutPageExtension,
  type FormatName,
} from '../formats/formats.ts'
import { toAbsoluteLinks } from '../formats/markdown/markdown-links.ts'
import type { Page } from '../page/page.ts'
import { parsePages } from '../page/parse.ts'
import { OgError, reasonOf } from '../platform/error.ts'
import { decodeWebText } from '../formats/decode.ts'
import { decodePercent } from './page-address.ts'

export type WebDocument = {
  url: string
  bytes: Uint8Array
  kind: FormatName
  contentType: string | null
  lastModified: string | null
}

/**
 * Returns a response's format by its content type, or by its content and URL if the type is missing
 * or generic. Returns null if it is not a page.
 */
export function detectDocumentFormat(
  contentType: string | null,
  bytes: Uint8Array,
  url: string,
): FormatName | null {
  const type = contentType?.split(';')[0]!.trim().toLowerCase() ?? ''
  const declared = formatOfMediaType(type)
  if (declared !== null && declared !== 'text') return declared
  const fromExtension = formatOf(new URL(url).pathname)
  const isBinary = fromExtension !== null && formats[fromExtension].parseBytes !== undefined
  if (isBinary && vagueTypes.has(type)) return fromExtension
  if (bytes.includes(0)) return null
  if (declared === null && !vagueTypes.has(type)) {
    return fromExtension !== null && formats[fromExtension].sharedTypes?.includes(type)
      ? fromExtension
      : null
  }
  if (looksLikeHtml(bytes)) return 'html'
  // Text without HTML tags is not HTML, even if its URL ends in .html.
  return fromExtension === null || fromExtension === 'html' ? declared : fromExtension
}

/** The types that servers send for unknown file extensions. */
const vagueTypes = new Set(['', 'application/octet-stream', 'binary/octet-stream'])

export const acceptPages = Object.entries(formats)
  // Excludes formats that servers rarely have and never offer as an alternative to HTML.
  .filter(([, { parseBytes, isNamed, marked }]) => !parseBytes && !isNamed && !marked)
  .flatMap(([name, { mediaTypes }]) => {
    const quality = name === 'markdown' ? '' : name === 'html' ? ';q=0.9' : ';q=0.8'
    const types = name === 'html' ? mediaTypes : mediaTypes.slice(0, 1)
    return types.map((type) => `${type}${quality}`)
  })
  .join(', ')

const { markdown, text } = formats

/** The `Accept` header for a page's Markdown. */
export const acceptMarkdown = `${markdown.mediaTypes[0]}, ${text.mediaTypes[0]};q=0.5`

export async function parseWebDocument(document: WebDocument, address: string): Promise<Page[]> {
  const { url, bytes, kind, contentType, lastModified } = document
  const path = filePath(address, kind)
  const stored = (page: Page): Page => {
    const own = address + page.url.slice(url.length)
    return { ...page, url: own, text: withAbsoluteLinks(page, document, address) }
  }
  if (formats[kind].parseBytes) {
    const pages = await parsePages({ bytes, path, url, lastModified }).catch((error) => {
      throw new Error(reasonOf(error))
    })
    return pages.map(stored)
  }
  const text = decodeWebText(bytes, contentType)
  const mark = kind === 'html' ? signOfScriptRendering(text) : null
  try {
    const file = { bytes: new TextEncoder().encode(text), path, url, lastModified }
    const pages = await parsePages(file)
    if (isErrorPage(pages[0]!)) throw missingPageError(url)
    if (mark === null || pages[0]!.text.length >= leastCharacters) return pages.map(stored)
  } catch (error) {
    if (error instanceof OgError && error.code === 'absent') throw error
    if (mark === null) throw new Error(reasonOf(error))
  }
  throw new Error(`its content is made by JavaScript, which og does not run (it has ${mark})`)
}

/** Makes links in Markdown absolute. The HTML parser does so itself. */
function withAbsoluteLinks(
  { text, markup }: Page,
  { kind, url }: WebDocument,
  address: string,
): string {
  const mayBeRelative = markup === 'markdown' && kind !== 'html'
  return mayBeRelative ? toAbsoluteLinks(text, { base: url, page: address }) : text
}

const leastCharacters = 200

/** True for a short page titled like an error, which some servers send with status 200. */
function isErrorPage({ title, text }: Page): boolean {
  return text.length < 600 && errorTitle.test(title)
}

const errorTitle = new RegExp(
  '^(?:(?:oops|sorry)[!.,…]*\\s*)?(?:(?:http |error )?404(?: error)?[\\s:–—|·(-]*)?' +
    '(?:(?:(?:(?:the|this|that) )?page )?' +
    '(?:(?:was |is |could |can ?)?not (?:be )?found|(?:does not|doesn.t) exist)[!.)\\d]*' +
    '|seite nicht gefunden|page introuvable|p[áa]gina no encontrada|(?<=404.*))' +
    '(?:\\s*[–—|·-]\\s.*)?$',
  'i',
)

function missingPageError(url: string): OgError {
  const reason = 'its title says that the server has no such page'
  return new OgError(`Cannot read page "${url}": ${reason}`, { code: 'absent', reason })
}

export function looksLikeHtml(bytes: Uint8Array): boolean {
  const start = Buffer.from(bytes.subarray(0, 1000)).toString('latin1')
  return /^(?:\xef\xbb\xbf)?\s*<(!doctype html|html|head|body)\b/i.test(start)
}

function filePath(address: string, kind: FormatName): string {
  const { pathname, search } = new URL(address)
  const path = decodePercent(pathname.replace(/^\/+/, ''))
  const file = path === '' || path.endsWith('/') ? `${path}index` : path
  const stem = withoutPageExtension(file).replace(/\.(php|aspx?)$/i, '')
  return `${stem}${decodePercent(search)}${formats[kind].extensions[0]}`
}

/** Describes the sign that JavaScript renders a page without text, or returns null. */
export function signOfScriptRendering(html: string): string | null {
  const mark = scriptMarks.find(([pattern]) => pattern.test(html))
  return mark?.[1] ?? null
}

const rootNames = 'root|app|__next|__nuxt|___gatsby|svelte|q-app'

const scriptMarks: [RegExp, string][] = [
  [
    new RegExp(
      `<div[^>]{0,200}\\bid=["']?(${rootNames})["'\\s>][^>]{0,200}>?\\s{0,200}</div>`,
      'i',
    ),
    'an empty application root',
  ],
  [/<(app-root|ng-app|redoc|rapi-doc|elements-api)\b/i, 'an application element'],
  [/\bid=["']?(__NEXT_DATA__|__NUXT_DATA__)["'\s>]/, 'the data of an application'],
  [/\bid=["']?swagger-ui["'\s>]/i, 'Swagger UI'],
  [
    /<noscript\b[^>]{0,200}>[^]{0,400}?\b(enable|requires?|need)\b[^<]{0,60}javascript/i,
    'a request to enable JavaScript',
  ],
  [
    /<body[^>]{0,400}>\s{0,200}(<div[^>]{0,200}>\s{0,200}<\/div>\s{0,200})?<script\b/i,
    'nothing but scripts',
  ],
]
