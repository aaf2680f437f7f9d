import { absoluteMarkdown } from '../../page/markdown/markdown-links.ts'
import type { Page } from '../../page/page.ts'
import { parsePage } from '../../page/parse.ts'
import { reasonOf } from '../../platform/error.ts'
import { webText } from './charset.ts'
import { scriptMark } from './html-head.ts'
import { decodePercent } from '../percent.ts'

/** The body that a server sent for a page, and how it is to be read. */
export type WebDocument = {
  url: string
  bytes: Uint8Array
  kind: DocumentKind
  contentType: string | null
  lastModified: string | null
}

export type DocumentKind = 'html' | 'md' | 'rst' | 'txt'

/**
 * The kind of document in an answer, by its content type, or by its look where that says nothing;
 * null: it is no page.
 */
export function documentKind(
  contentType: string | null, bytes: Uint8Array, url: string,
): DocumentKind | null {
  const type = contentType?.split(';')[0]!.trim().toLowerCase() ?? ''
  if (/^(text\/html|application\/xhtml\+xml)$/.test(type)) return 'html'
  if (/^text\/(x-)?(markdown|mdx)$/.test(type)) return 'md'
  if (/^text\/(x-rst|prs\.fallenstein\.rst)$/.test(type)) return 'rst'
  const isVague = /^(|text\/plain|application\/octet-stream|binary\/octet-stream)$/.test(type)
  if (!isVague || bytes.includes(0)) return null
  if (looksLikeHtml(bytes)) return 'html'
  const extension = /\.(mdx?|markdown|rst|txt)$/i.exec(new URL(url).pathname)?.[1]?.toLowerCase()
  if (extension === undefined) return type === 'text/plain' ? 'txt' : null
  return extension === 'rst' || extension === 'txt' ? extension : 'md'
}

/**
 * The page of a document, kept under `address`.
 * @throws Error whose message is the reason alone
 */
export async function documentPage(document: WebDocument, address: string): Promise<Page> {
  const { url, bytes, kind, contentType, lastModified } = document
  const text = webText(bytes, contentType)
  const path = filePath(address, kind)
  const mark = kind === 'html' ? scriptMark(text) : null
  try {
    const file = { bytes: new TextEncoder().encode(text), path, url, lastModified }
    const page = await parsePage(file)
    if (mark === null || page.text.length >= leastCharacters) {
      return { ...page, url: address, text: linked(page, document, address) }
    }
  } catch (error) {
    if (mark === null) throw new Error(reasonOf(error))
  }
  throw new Error(`its content is made by JavaScript, which og does not run (it has ${mark})`)
}

/**
 * The text with absolute links. The HTML parser writes them so; those of Markdown may be relative.
 */
function linked({ text }: Page, { kind, url }: WebDocument, address: string): string {
  return kind === 'md' ? absoluteMarkdown(text, { base: url, page: address }) : text
}

/**
 * A page with a sign of JavaScript and less text than this has no content: "Loading…", a site name.
 */
const leastCharacters = 200

export function looksLikeHtml(bytes: Uint8Array): boolean {
  const start = Buffer.from(bytes.subarray(0, 1000)).toString('latin1')
  return /^(?:\xef\xbb\xbf)?\s*<(!doctype html|html|head|body)\b/i.test(start)
}

/** The path of an address, with the extension of what was read: `guide/` → `guide/index.html`. */
function filePath(address: string, kind: DocumentKind): string {
  const { pathname, search } = new URL(address)
  const path = decodePercent(pathname.replace(/^\/+/, ''))
  const named = path === '' || path.endsWith('/') ? `${path}index` : path
  const stem = named.replace(/\.(html?|mdx?|markdown|rst|txt|php|aspx?)$/i, '')
  return `${stem}${decodePercent(search)}.${kind}`
}
