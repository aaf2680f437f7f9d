import { toAbsoluteLinks } from '../../formats/markdown/markdown-links.ts'
import { messageOf, OgError } from '../../platform/error.ts'
import { printableUrl } from '../../platform/web/http.ts'
import { crawl } from './crawl.ts'
import {
  openCrawler,
  reasonWithoutUrl,
  withoutUser,
  type Crawler,
  type CrawlOptions,
} from './crawler.ts'
import { parseKnownPages, knownParts, failuresOfLostPages, openPageParts } from '../known-pages.ts'
import { isOnSite, openSiteFilter, removeTranslations, type SiteEntry } from './page-filter.ts'
import { pageEvent, addValidator } from '../page-event.ts'
import { parseInOrder } from '../page-parser.ts'
import type { KnownPages, SourceEvent } from '../source.ts'
import type { Source } from '../../store/source.ts'
import { renderValidator, validatorOf, type Validator } from '../validator.ts'
import { looksLikeHtml } from '../web-document.ts'
import { withoutPageExtension } from '../../formats/formats.ts'
import { decodePercent } from '../page-address.ts'
import { trimCharacters } from '../../platform/text/trim.ts'

type LlmsSource = Extract<Source, { kind: 'llms_txt' }>

/**
 * Yields the pages that an llms.txt links to, or the pages in an llms-full.txt.
 * @throws OgError if the file itself cannot be read
 */
export async function* llmsPages(
  source: LlmsSource,
  options: CrawlOptions & { before?: KnownPages } = {},
): AsyncGenerator<SourceEvent> {
  const crawler = await openCrawler(source.url, options)
  const before = knownParts(options.before)
  // The pages that an llms.txt links to have their own validators.
  const headers = isWhole(source) ? before.headers : {}
  const file = await readFile(crawler, source.url, { headers, isNamed: true })
  if (file === null) {
    for (const [url, validator] of before.parts) {
      yield { type: 'unchanged', url, validator: renderValidator(validator) }
    }
    return
  }
  crawler.sites = [withoutUser(new URL(source.url)), new URL(file.url)]
  const links = isWhole(source) ? [] : parseLlmsLinks(file.text, file.url)
  if (links.length === 0) return yield* partEvents(file, before.parts, crawler.signal)
  const { pages, events, lost } = await linkedPages(crawler, source, links)
  yield* events
  const states = parseKnownPages(options.before)
  const parts = openPageParts(options.before)
  const { languages } = source
  for await (const event of crawl(crawler, { listing: pages, before: states, languages })) {
    yield* parts(event)
  }
  if (lost !== null) yield* failuresOfLostPages(states, pages, `the list ${lost}`)
}

/**
 * Counts the pages that an llms.txt links to, or that an llms-full.txt contains. Reads no page.
 * @throws OgError if the file itself cannot be read
 */
export async function countLlmsPages(crawler: Crawler, source: LlmsSource): Promise<number> {
  const file = await readFile(crawler, source.url, { isNamed: false })
  if (file === null) return 0
  const links = isWhole(source) ? [] : parseLlmsLinks(file.text, file.url)
  if (links.length === 0) return splitLlmsFull(file.text, file.url).length
  return (await linkedPages(crawler, source, links)).pages.length
}

function isWhole({ url }: LlmsSource): boolean {
  return /llms-(full|ctx)[^/]*$/i.test(url)
}

type LlmsFile = { url: string; text: string; validator: Validator }

async function readFile(
  crawler: Crawler,
  url: string,
  request: { headers?: Record<string, string>; isNamed: boolean },
): Promise<LlmsFile | null> {
  return crawler.fetch(url, request, async (answer) => {
    const { status, headers } = answer
    if (status === 304) return null
    if (status !== 200) throw unreadable(answer.url, `server answered ${status}`)
    const { listBytes, listTimeoutMs } = crawler.limits
    const bytes = await answer.bytes({ sizeBytes: listBytes, timeoutMs: listTimeoutMs })
    if (looksLikeHtml(bytes)) throw unreadable(answer.url, 'it is a web page')
    const text = new TextDecoder().decode(bytes).replaceAll('\r\n', '\n')
    if (text.trim() === '') throw unreadable(answer.url, 'it is empty')
    return { url: answer.url, text, validator: validatorOf(headers, bytes) }
  })
}

function unreadable(url: string, reason: string): OgError {
  return new OgError(`Cannot read "${printableUrl(url)}": ${reason}`)
}

/** `lost` is a further llms.txt that could not be read, so that its pages are missing. */
type LinkedPages = { pages: SiteEntry[]; events: SourceEvent[]; lost: string | null }

/**
 * Returns the wanted pages among the links. The links in a linked llms.txt replace the link to it,
 * but only one level deep.
 */
async function linkedPages(
  crawler: Crawler,
  source: LlmsSource,
  links: string[],
): Promise<LinkedPages> {
  const withAbsoluteLinks: LinkedPages = { pages: [], events: [], lost: null }
  const reject = (path: string, reason: string) =>
    void withAbsoluteLinks.events.push({ type: 'skipped', path, reason })
  const filtered = openSiteFilter(source, crawler.sites!, reject)
  const seen = new Set([source.url])
  const waiting = [...links]
  for (const url of waiting) {
    if (
      seen.size > crawler.limits.maxLists ||
      withAbsoluteLinks.pages.length > crawler.limits.maxPages
    ) {
      throw unreadable(source.url, 'it leads to too many pages')
    }
    if (/\/llms-(full|ctx)[^/]*\.txt$/i.test(url)) reject(url, 'all pages in one file')
    else if (!/\/llms\.txt$/i.test(url)) take(url)
    else if (!seen.has(url) && isOnSite(new URL(url), crawler.sites!)) await open(url)
  }
  withAbsoluteLinks.pages = removeTranslations(withAbsoluteLinks.pages, source, reject)
  return withAbsoluteLinks

  function take(url: string): void {
    const page = filtered({ url, lastmod: null, language: null })
    if (page) withAbsoluteLinks.pages.push(page)
  }
  async function open(url: string): Promise<void> {
    seen.add(url)
    const file = await readFile(crawler, url, { isNamed: false }).catch((error: unknown) => {
      crawler.signal?.throwIfAborted()
      withAbsoluteLinks.lost = url
      withAbsoluteLinks.events.push({
        type: 'failed',
        url,
        reason: reasonWithoutUrl(messageOf(error)),
      })
      return null
    })
    if (file) waiting.push(...parseLlmsLinks(file.text, file.url))
  }
}

async function* partEvents(
  file: LlmsFile,
  before: Map<string, Validator>,
  signal: AbortSignal | undefined,
): AsyncGenerator<SourceEvent> {
  const eventOf = async (part: LlmsFilePart): Promise<SourceEvent> => {
    const bytes = new TextEncoder().encode(part.text)
    const validator = { ...file.validator, hash: validatorOf(new Headers(), bytes).hash }
    const isKnown = before.get(part.url)?.hash === validator.hash
    const rendered = renderValidator(validator)
    if (isKnown) return { type: 'unchanged', url: part.url, validator: rendered }
    return addValidator(linked(await pageEvent({ bytes, ...part }, { signal })), rendered)
  }
  for await (const event of parseInOrder(splitLlmsFull(file.text, file.url), eventOf)) {
    signal?.throwIfAborted()
    yield event
  }
}

/** Makes links on a page absolute, relative to the page's own URL in an llms-full.txt. */
function linked(event: SourceEvent): SourceEvent {
  if (event.type !== 'page') return event
  const { text, url } = event.page
  const page = { ...event.page, text: toAbsoluteLinks(text, { base: url, page: url }) }
  return { ...event, page }
}

export type LlmsFilePart = { url: string; path: string; text: string }

/** Number of characters of a list item that are searched for its link, which comes first. */
const maxItem = 2000

export function parseLlmsLinks(text: string, base: string): string[] {
  const links = proseLines(text).flatMap(({ line, isCode }) => {
    const item = /^\s*[-*+]\s+(?!\s)(.*)$/.exec(line.slice(0, maxItem))?.[1]
    if (isCode || item === undefined) return []
    return (
      /\[(?:[^\][]|\[[^\]]{0,200}\])*\]\(\s*<?([^)\s>]+)/.exec(item)?.[1] ??
      /^<?(https?:\/\/[^\s>]+)/.exec(item)?.[1] ??
      []
    )
  })
  const urls = links
    .filter((text) => URL.canParse(text, base))
    .map((text) => {
      const url = new URL(text, base)
      url.hash = ''
      return url.href
    })
  return [...new Set(urls)].filter((url) => /^https?:/.test(url))
}

/**
 * Splits an llms-full.txt, which contains many pages one after another. Each begins with its URL
 * (`Source: https://…` below its title, or `url:` in front matter), or with a heading of level 1.
 */
export function splitLlmsFull(text: string, base: string): LlmsFilePart[] {
  const lines = proseLines(text)
  const starts = [...sourcedStarts(lines, base), ...frontMatterStarts(lines, base)]
  const cuts = starts.length > 0 ? starts.sort((a, b) => a.at - b.at) : titledStarts(lines, base)
  const first = cuts[0]?.at ?? lines.length
  const lead = lines.slice(0, first).some(({ line }) => line.trim() !== '')
  const all = lead ? [{ at: 0, url: base }, ...cuts] : cuts
  const parts = all.map(({ at, url }, i) => {
    const own = lines.slice(at, all[i + 1]?.at).map(({ line }) => line)
    return { url, path: partPath(url), text: `${own.join('\n').trim()}\n` }
  })
  return mergeParts(parts)
}

type Line = { line: string; isCode: boolean }
type Start = { at: number; url: string }

function proseLines(text: string): Line[] {
  let fence = ''
  return text.split('\n').map((line) => {
    const mark = /^\s*(`{3,}|~{3,})/.exec(line)?.[1] ?? ''
    const wasCode = fence !== ''
    if (!wasCode) fence = mark
    else if (mark[0] === fence[0] && mark.length >= fence.length && line.trim() === mark) fence = ''
    return { line, isCode: wasCode || fence !== '' }
  })
}

const sourceLine =
  /^(?:\*\*)?(?:Source|URL)(?::\*\*|\*\*:|:)\s*<?(https?:\/\/[^\s>]+|\/[^\s>]+)>?\s*$/i

function sourcedStarts(lines: Line[], base: string): Start[] {
  return lines.flatMap(({ line, isCode }, i) => {
    const address = sourceLine.exec(line)?.[1]
    if (isCode || address === undefined || !URL.canParse(address, base)) return []
    const above = [1, 2].find((up) => /^#\s/.test(lines[i - up]?.line ?? ''))
    return [{ at: above === undefined ? i : i - above, url: new URL(address, base).href }]
  })
}

/** Finds pages that begin with front matter: `---`, fields including `url:`, `---`. */
function frontMatterStarts(lines: Line[], base: string): Start[] {
  return lines.flatMap(({ line, isCode }, i) => {
    if (isCode || line.trim() !== '---') return []
    const end = lines.slice(i + 1, i + 40).findIndex((after) => after.line.trim() === '---')
    const fields = lines.slice(i + 1, i + 1 + end).map((field) => field.line)
    if (end < 1 || !fields.every((field) => /^(\s|[\w-]+:|-\s|$)/.test(field))) return []
    const address = fields.map((field) => /^url:\s*["']?([^\s"']+)/.exec(field)?.[1]).find(Boolean)
    return address && URL.canParse(address, base)
      ? [{ at: i, url: new URL(address, base).href }]
      : []
  })
}

function titledStarts(lines: Line[], base: string): Start[] {
  const titles = lines.flatMap(({ line, isCode }, at) => {
    const title = isCode ? undefined : /^#\s+(?!\s)(.+)$/.exec(line)?.[1]
    return title === undefined ? [] : [{ at, title }]
  })
  const seen = new Map<string, number>()
  return titles.map(({ at, title }) => {
    const words = title.toLowerCase().match(/[\p{L}\p{N}]+/gu)
    const slug = words?.join('-') ?? 'page'
    const count = (seen.get(slug) ?? 0) + 1
    seen.set(slug, count)
    const name = count > 1 ? `${slug}-${count}` : slug
    return { at, url: titles.length > 1 ? `${base}#${encodeURIComponent(name)}` : base }
  })
}

function partPath(url: string): string {
  const { pathname, hash } = new URL(url)
  const path = trimCharacters(decodePercent(pathname), '/')
  const stem = withoutPageExtension(path)
  return `${stem || 'index'}${decodePercent(hash)}.md`
}

function mergeParts(parts: LlmsFilePart[]): LlmsFilePart[] {
  const byUrl = new Map<string, LlmsFilePart>()
  for (const part of parts) {
    const first = byUrl.get(part.url)
    if (first) first.text += `\n${part.text}`
    else byUrl.set(part.url, part)
  }
  return [...byUrl.values()]
}
