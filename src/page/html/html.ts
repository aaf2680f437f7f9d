import { parseHTML } from 'linkedom/worker' // The build without `canvas`, which loads a module.
import { article } from './article.ts'
import type { HtmlElement } from './article.ts'
import { notText, pageText, unreadable } from '../decode.ts'
import { htmlMarkdown } from './html-markdown.ts'
import { withoutBulk } from './html-bulk.ts'
import { withoutDepth } from './html-depth.ts'
import { absoluteLinks, linkBase } from './html-links.ts'
import { shortened } from '../inline.ts'

/** A web page read as Markdown. Absent title and description are null. */
export type HtmlPage = {
  title: string | null
  description: string | null
  language: string | null
  text: string
}

/**
 * The main content of an HTML page as Markdown; runs no script and fetches nothing. Links are made
 * absolute where `url` is an address of the web.
 * The title is the article's own h1, else og:title, else `<title>` without the site's name.
 * Throws OgError naming `path` where a page has no content (`not-text`), or too many tags.
 */
export function parseHtml(source: string, path: string, url = ''): HtmlPage {
  const nTags = source.split('<').length - 1
  if (nTags > tagLimit) throw unreadable(path, `HTML of ${nTags} tags, limit is ${tagLimit}`)
  const root = rootOf(source)
  const main = article(root)
  const base = linkBase(root, url)
  if (main && base) absoluteLinks(main, base)
  const text = main ? pageText(htmlMarkdown(main)) : ''
  if (!/[\p{L}\p{N}]/u.test(text)) throw notText(path, 'HTML without content')
  const title = oneLine(main?.querySelector('h1')?.textContent) ?? metaOf(root, 'og:title')
    ?? siteTitle(oneLine(root.querySelector('title')?.textContent))
  const description = metaOf(root, 'description') ?? metaOf(root, 'og:description')
  const language = oneLine(root.getAttribute('lang'))
  return { title, description, language, text }
}

/** Most tags of a page: a tree of so many takes about half a gigabyte; 2 MB of HTML have 50,000. */
const tagLimit = 300_000

/** Parses HTML. linkedom makes the first element the root, so a fragment is wrapped in `html`. */
function rootOf(source: string): HtmlElement {
  const hasRoot = /<html[\s>]/i.test(source)
  const root = hasRoot ? firstElement(source) : null
  const isRoot = root?.nodeName.toUpperCase() === 'HTML' // Not one in a comment or further down.
  return isRoot && root ? root : firstElement(`<html><body>${source}</body></html>`) as HtmlElement
}

function firstElement(source: string): HtmlElement | null {
  const { document } = parseHTML(withoutDepth(withoutBulk(source)))
  return document.documentElement as unknown as HtmlElement | null
}

function oneLine(text: string | null | undefined): string | null {
  return shortened((text ?? '').replaceAll('\0', ''), 300).toWellFormed() || null
}

function metaOf(root: HtmlElement, name: string): string | null {
  const meta = root.querySelector(`meta[name="${name}"], meta[property="${name}"]`)
  return oneLine(meta?.getAttribute('content'))
}

/** Removes the site's name: `Boiling water - Kettle documentation` → `Boiling water`. */
function siteTitle(title: string | null): string | null {
  return title?.replace(/\s+[-–—|·•]\s+[^-–—|·•]+$/, '') || null
}
