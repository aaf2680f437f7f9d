/** The head of a web page. URLs are absolute, or null if missing. */
type HtmlHead = {
  canonical: URL | null
  /** The URL of the same page as Markdown. */
  markdown: URL | null
  language: string | null
  refresh: URL | null
  /** True if the page must not appear in search results. */
  isHidden: boolean
}

/** Reads the head of a page with regular expressions, without building a DOM. */
export function htmlHead(html: string, base: string): HtmlHead {
  const start = html.slice(0, headCharacters)
  const end = start.search(/<\/head\s*>|<body[\s>]/i)
  const head = withoutComments(end < 0 ? start : start.slice(0, end))
  const links = tagsOf(head, 'link')
  const link = (rel: string, type?: string) =>
    links.find(
      (attributes) =>
        words(attributes.rel).includes(rel) && (!type || attributes.type?.toLowerCase() === type),
    )
  const metas = tagsOf(head, 'meta')
  const refresh =
    metas.find((meta) => meta['http-equiv']?.toLowerCase() === 'refresh')?.content ?? ''
  const robots = metas.filter(({ name }) => name?.toLowerCase() === 'robots')
  return {
    canonical: absolute(link('canonical')?.href, base),
    markdown: absolute(link('alternate', 'text/markdown')?.href, base),
    language: tagsOf(html.slice(0, 20_000), 'html')[0]?.lang?.trim() || null,
    refresh: absolute(/^\s*0*[0-3]\s*[;,]\s*url\s*=\s*["']?([^"']+)/i.exec(refresh)?.[1], base),
    isHidden: robots.some(({ content }) => saysNoindex(content ?? '')),
  }
}

/**
 * True if a robots tag, or the header of its name, forbids all robots to index a page. Rules after
 * the name of a robot, as in `otherbot: noindex`, are only for that robot.
 */
export function saysNoindex(rules: string): boolean {
  const [own = ''] = rules.toLowerCase().split(/\b(?!unavailable_after|max-)[\w-]+\s*:/)
  return own.split(',').some((rule) => /^\s*(?:noindex|none)\s*$/.test(rule))
}

const headCharacters = 200_000

function words(text: string | undefined): string[] {
  return (text ?? '').toLowerCase().split(/\s+/)
}

function absolute(href: string | undefined, base: string): URL | null {
  if (!href || !URL.canParse(href.trim(), base)) return null
  const url = new URL(href.trim(), base)
  url.hash = ''
  return /^https?:$/.test(url.protocol) ? url : null
}

function withoutComments(html: string): string {
  const pieces: string[] = []
  let at = 0
  for (let start = html.indexOf('<!--'); start >= 0; start = html.indexOf('<!--', at)) {
    const end = html.indexOf('-->', start + 4)
    if (end < 0) break
    pieces.push(html.slice(at, start))
    at = end + 3
  }
  return pieces.join('') + html.slice(at)
}

const maxTag = 4000
const maxTags = 1000

function tagsOf(html: string, name: string): Record<string, string>[] {
  return tagTexts(html, name, maxTags).map(attributesOf)
}

/** Returns the attribute texts of the first `count` tags with a name. */
export function tagTexts(html: string, name: string, count: number): string[] {
  const starts = html.matchAll(new RegExp(`<${name}\\b`, 'gi'))
  return [...starts.take(count)].flatMap(({ index, 0: start }) => {
    const from = index + start.length
    const attributes = /^(?:[^>"']|"[^"]*"|'[^']*')*(?=>)/.exec(html.slice(from, from + maxTag))
    return attributes === null ? [] : [attributes[0]]
  })
}

export function attributesOf(text: string): Record<string, string> {
  const pattern = /([\w:-]+)\s*(?:=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?/g
  return Object.fromEntries(
    Array.from(text.matchAll(pattern), ([, name, a, b, c]) => [
      name!.toLowerCase(),
      (a ?? b ?? c ?? '').replaceAll('&amp;', '&'),
    ]),
  )
}
