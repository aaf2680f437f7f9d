import { parseHTML } from 'linkedom/worker'
import { findArticle, type HtmlElement } from './article.ts'
import { notTextError, normalizeText, unreadableError } from '../decode.ts'
import { htmlToMarkdown } from './html-markdown.ts'
import { replaceMathScript } from './html-math.ts'
import { limitDepth } from './html-depth.ts'
import { shorten } from '../../document/inline.ts'
import { cachedIndexOf } from '../../document/seek.ts'

/** A web page as Markdown. A missing title or description is null. */
export type HtmlPage = {
  title: string | null
  description: string | null
  language: string | null
  text: string
}

/**
 * Converts the main content of an HTML page to Markdown. Runs no scripts and fetches nothing. If
 * `url` is a web address, makes links absolute. The title is the article's h1, else og:title, else
 * `<title>` without the site's name.
 * @throws OgError with `path` if the page has no content (`not-text`) or too many tags
 */
export function parseHtml(source: string, path: string, url = ''): HtmlPage {
  const nTags = source.split('<').length - 1
  if (nTags > tagLimit) throw unreadableError(path, `HTML of ${nTags} tags, limit is ${tagLimit}`)
  const root = rootOf(source)
  // Read before `findArticle`, which removes the head if the article is the body.
  const pageTitle = siteTitle(oneLine(root.querySelector('title')?.textContent))
  const baseHref = { title: metaOf(root, 'og:title') ?? pageTitle, description: describedBy(root) }
  const main = findArticle(root)
  const base = linkBase(root, url)
  if (main && base) absoluteLinks(main, base)
  const text = main ? normalizeText(htmlToMarkdown(main)) : ''
  if (!/[\p{L}\p{N}]/u.test(text)) throw notTextError(path, 'HTML without content')
  const title = oneLine(main?.querySelector('h1')?.textContent) ?? baseHref.title
  const language = oneLine(root.getAttribute('lang'))
  return { title, description: baseHref.description, language, text }
}

function describedBy(root: HtmlElement): string | null {
  return metaOf(root, 'description') ?? metaOf(root, 'og:description')
}

/**
 * Maximum number of tags on a page. A tree of 300,000 tags uses about 500 MB of memory. 2 MB of
 * HTML contain 50,000 tags.
 */
const tagLimit = 300_000

/** Parses HTML. Puts a fragment in `html`, because linkedom makes the first element the root. */
function rootOf(source: string): HtmlElement {
  const hasRoot = /<html[\s>]/i.test(source)
  const root = hasRoot ? firstElement(source) : null
  // False if `<html` was in a comment or inside another element.
  const isRoot = root?.nodeName.toUpperCase() === 'HTML'
  return isRoot && root
    ? root
    : (firstElement(`<html><body>${source}</body></html>`) as HtmlElement)
}

function firstElement(source: string): HtmlElement | null {
  const { document } = parseHTML(limitDepth(removeBulk(source)))
  return document.documentElement as unknown as HtmlElement | null
}

function oneLine(text: string | null | undefined): string | null {
  return shorten((text ?? '').replaceAll('\0', ''), 300).toWellFormed() || null
}

function metaOf(root: HtmlElement, name: string): string | null {
  const meta = root.querySelector(`meta[name="${name}"], meta[property="${name}"]`)
  return oneLine(meta?.getAttribute('content'))
}

/**
 * Removes the site's name from a title: `Boiling water - Kettle documentation` → `Boiling water`.
 */
function siteTitle(title: string | null): string | null {
  return title?.replace(/\s+[-–—|·•]\s+[^-–—|·•]+$/, '') || null
}

/** Returns the base URL of relative links: `<base>` or the page's own URL; null for files. */
function linkBase(root: HtmlElement, address: string): string | null {
  if (!/^https?:/i.test(address)) return null
  const baseHref = root.querySelector('base')?.getAttribute('href')
  return baseHref && baseHref.length <= addressLimit
    ? (URL.parse(baseHref, address)?.href ?? address)
    : address
}

/** Maximum length of a base URL, because each link repeats it. */
const addressLimit = 2000

/** Makes links and pictures absolute, so that they still work in a chunk. */
function absoluteLinks(element: HtmlElement, base: string): void {
  for (const link of element.querySelectorAll('a[href]')) complete(link, { name: 'href', base })
  for (const picture of element.querySelectorAll('img[src]')) {
    complete(picture, { name: 'src', base })
  }
}

function complete(element: HtmlElement, { name, base }: { name: string; base: string }): void {
  const value = (element.getAttribute(name) ?? '').trim()
  if (value === '' || /^[a-z][a-z\d+.-]*:/i.test(value)) return
  const url = URL.parse(value, base)
  if (url) element.setAttribute(name, url.href)
}

/**
 * Removes comments, scripts, styles, SVG and navigation from HTML before parsing, because they are
 * often 90 % of a page. Stops at the first unclosed one.
 */
export function removeBulk(source: string): string {
  const opening = /<!--|<(script|style|svg|nav)(?=[\s>/])/gi
  let text = ''
  let at = 0
  for (let match = opening.exec(source); match; match = opening.exec(source)) {
    const end = endOf(source, { at: match.index, name: match[1]?.toLowerCase() })
    if (end < 0) break
    const math = match[1] && replaceMathScript(source.slice(match.index, end))
    text += source.slice(at, match.index) + (math ?? '')
    at = opening.lastIndex = end
  }
  return text + source.slice(at)
}

/** Returns the end of the element or comment at an offset, or -1. A comment has no `name`. */
function endOf(source: string, { at, name }: { at: number; name: string | undefined }): number {
  if (name === undefined) return after(source, /-->/g, at)
  const isText = name === 'script' || name === 'style'
  return isText ? after(source, closings[name]!, at) : balancedEnd(source, { at, name })
}

const closings: Record<string, RegExp> = { script: /<\/script\s*>/gi, style: /<\/style\s*>/gi }

function after(source: string, closing: RegExp, at: number): number {
  closing.lastIndex = at
  return closing.exec(source) === null ? -1 : closing.lastIndex
}

/**
 * Returns the end of an element that can contain elements with its own name, such as `nav`, or -1
 * if it is unclosed.
 */
function balancedEnd(source: string, { at, name }: { at: number; name: string }): number {
  const commentEnd = cachedIndexOf(source, '-->')
  const tagEnd = cachedIndexOf(source, '>')
  const opening = new RegExp(`<!--|<(/?)${name}(?=[\\s>/])`, 'gi')
  opening.lastIndex = at
  let depth = 0
  for (let match = opening.exec(source); match; match = opening.exec(source)) {
    const slash = match[1]
    const end = slash === undefined ? commentEnd(match.index) : tagEnd(opening.lastIndex)
    if (end < 0) continue
    opening.lastIndex = end + (slash === undefined ? '-->' : '>').length
    if (slash === undefined) continue
    const isAlone = name === 'svg' && source[end - 1] === '/'
    if (!isAlone) depth += slash === '' ? 1 : -1
    if (depth === 0) return opening.lastIndex
  }
  return -1
}
