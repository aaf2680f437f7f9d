import { attributesOf, tagTexts } from './html-head.ts'

/** The web addresses that a page of HTML or Markdown links to, absolute, each once. */
export function pageLinks(text: string, base: string): string[] {
  const isHtml = /<(?:!doctype|html|head|body|a)\b/i.test(text)
  const typed = isHtml ? htmlLinks(text) : markdownLinks(text)
  const from = isHtml ? baseOf(text, base) : base
  const links = typed.filter((link) => URL.canParse(link, from)).map((link) => {
    const url = new URL(link, from)
    url.hash = ''
    return url
  })
  const urls = links.filter(({ protocol }) => /^https?:$/.test(protocol))
  return [...new Set(urls.map(({ href }) => href))]
}

/** The most links that are read from one page; a page with more is no documentation. */
const maxLinks = 10_000

function htmlLinks(html: string): string[] {
  const links = tagTexts(html, 'a', maxLinks).map(attributesOf)
  return links.flatMap(({ href, rel = '' }) => href && !/\bnofollow\b/i.test(rel) ? [href] : [])
}

function markdownLinks(text: string): string[] {
  const links = text.matchAll(/(?<!!)\[[^\][]{0,500}\]\(\s*<?([^)\s>]{1,2000})/g)
  return Array.from(links.take(maxLinks), ([, link]) => link!)
}

function baseOf(html: string, base: string): string {
  const [tag] = tagTexts(html, 'base', 1)
  const href = tag === undefined ? undefined : attributesOf(tag).href
  return href !== undefined && URL.canParse(href, base) ? new URL(href, base).href : base
}
