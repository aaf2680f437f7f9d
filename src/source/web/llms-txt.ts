import { toAbsoluteLinks } from '../../page/markdown/markdown-links.ts'
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
import { splitLlmsFull, parseLlmsLinks, type LlmsFilePart } from './llms-file.ts'
import { isOnSite, openSiteFilter, removeTranslations, type SiteEntry } from './page-filter.ts'
import { pageEvent, addValidator } from '../page-event.ts'
import { parseInOrder } from '../page-parser.ts'
import type { KnownPages, SourceEvent } from '../source.ts'
import type { Source } from '../../store/source.ts'
import { renderValidator, validatorOf, type Validator } from './validator.ts'
import { looksLikeHtml } from './web-document.ts'

type LlmsSource = Extract<Source, { kind: 'llms_txt' }>

/**
 * The pages that an llms.txt links to, or the pages in an llms-full.txt.
 * @throws OgError if the file itself cannot be read
 */
export async function* llmsPages(
  source: LlmsSource,
  options: CrawlOptions & { before?: KnownPages } = {},
): AsyncGenerator<SourceEvent> {
  const crawler = await openCrawler(source.url, options)
  const before = knownParts(options.before)
  // The pages that an llms.txt links to have validators of their own, not those of the file.
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
 * The number of pages that an llms.txt links to, or that an llms-full.txt contains. No page is
 * read.
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

/** `lost` is another llms.txt that could not be read and whose pages are therefore missing. */
type LinkedPages = { pages: SiteEntry[]; events: SourceEvent[]; lost: string | null }

/**
 * The wanted pages among the links. A link to another llms.txt is replaced with the links in it,
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

/**
 * Makes the links of a page absolute. In one part of an llms-full.txt, they are relative to the URL
 * of its page.
 */
function linked(event: SourceEvent): SourceEvent {
  if (event.type !== 'page') return event
  const { text, url } = event.page
  const page = { ...event.page, text: toAbsoluteLinks(text, { base: url, page: url }) }
  return { ...event, page }
}
