import { inOrder } from '../../platform/concurrency.ts'
import { messageOf } from '../../platform/error.ts'
import type { HttpResponse } from '../../platform/web/web.ts'
import { webText } from './charset.ts'
import { plainReason, withoutUser, type Crawler } from './crawler.ts'
import { openDuplicates, type Duplicates } from './duplicates.ts'
import { htmlHead } from './html-head.ts'
import type { KnownPage } from '../known-pages.ts'
import { isLanguageWanted, pathLanguage } from '../select/language.ts'
import { findTwinForm, formOf, twinAddress, type TwinForm } from './markdown-twin.ts'
import { isOnSite, type Listed } from './page-filter.ts'
import { parseDocument, parsing } from '../page-parser.ts'
import type { SourceEvent } from '../source.ts'
import {
  conditionalHeaders,
  renderValidator,
  settledLastmod,
  validatorOf,
  type Validator,
} from './validator.ts'
import {
  documentKind,
  looksLikeHtml,
  markdownTypes,
  pageTypes,
  type WebDocument,
} from './web-document.ts'

type CrawlWish = {
  listing: Listed[]
  /** The known pages, by the URL that the site lists. */
  before: Map<string, KnownPage>
  languages: string[]
  /** Whether a person entered these very pages. Then robots.txt is ignored. */
  isNamed?: boolean
  /** Set if pages are found by following the links of others. */
  following?: Following
}

export type Following = {
  duplicates: Duplicates
  /** The end of the whole crawl, in ms since the epoch. No page is requested later. */
  until: number
  /** Called with each page that is not plain text, and its final URL. */
  onText(listed: Listed, text: string, url: string): void
}

/**
 * The pages of a listing, in its order. Unchanged pages are not read, pages that the site offers as
 * Markdown are read as Markdown, and a page with several URLs is yielded once.
 */
export async function* crawl(crawler: Crawler, wish: CrawlWish): AsyncGenerator<SourceEvent> {
  const { following } = wish
  // Links are taken from the page itself, because its Markdown twin would hide them.
  const twinForm = following ? null : await formOfSite(crawler, wish)
  const until = following?.until ?? Date.now() + crawler.limits.totalMs
  const visiting: Visiting = { crawler, wish, twinForm, until }
  const duplicates = following?.duplicates ?? openDuplicates(wish.listing, crawler.sites)
  const lanes = crawler.limits.lanes * 4 // Of all hosts together; each host has its own limit.
  const bytesOf = (_: Listed, visit?: Visit) => (visit === undefined ? 0 : visitBytes(visit))
  const visits = inOrder(wish.listing, (it) => visitPage(it, visiting), { lanes, bytesOf })
  const pages = placed(visits, duplicates)
  for await (const event of parsing(pages, parsed(crawler), visitBytes)) {
    crawler.signal?.throwIfAborted()
    yield event
  }
}

type Placed = SourceEvent | (VisitedPage & { address: string })

/**
 * Assigns each page its URL. Visits must come in the order of the listing, because that decides
 * between two URLs.
 */
async function* placed(
  visits: AsyncIterable<Visit>,
  duplicates: Duplicates,
): AsyncGenerator<Placed> {
  for await (const visit of visits) {
    if ('event' in visit) {
      const { event } = visit
      if (event.type !== 'unchanged' || duplicates.take(event.url)) yield event
    } else {
      const place = duplicates.place(visit)
      if ('url' in place) yield { ...visit, address: withoutUser(new URL(place.url)).href }
      else yield { type: 'skipped', path: visit.listed.url, reason: place.skipped }
    }
  }
}

function visitBytes(visit: Visit | Placed): number {
  return 'document' in visit ? visit.document.bytes.length : 0
}

function parsed({ signal }: Crawler): (page: Placed) => Promise<SourceEvent> {
  return async (placed) => {
    if ('type' in placed) return placed
    const { listed, document, address } = placed
    const other = address !== listed.url ? { listed: listed.url } : {}
    const validator = renderValidator({ ...placed.validator, ...other })
    return parseDocument(document, address, signal).then(
      (page) => ({ type: 'page', page, validator }),
      (error: unknown) => ({ type: 'failed', url: address, reason: messageOf(error) }),
    )
  }
}

type Visiting = { crawler: Crawler; wish: CrawlWish; twinForm: TwinForm | null; until: number }

/** The outcome of a visit. `url` is the URL after redirects, `listed` the requested entry. */
type Visit = { event: SourceEvent } | VisitedPage

type VisitedPage = {
  listed: Listed
  url: string
  canonical: URL | null
  document: WebDocument
  validator: Validator
}

async function visitPage(listed: Listed, visiting: Visiting): Promise<Visit> {
  const { crawler, wish, until } = visiting
  const last = wish.before.get(listed.url)
  crawler.signal?.throwIfAborted()
  const spoken = last?.validator.language
  if (spoken && isForeign(spoken, wish)) return { event: foreign(listed, spoken) }
  if (last && isSettled(listed, last)) return { event: unchanged(last, {}) }
  const visit =
    Date.now() > until
      ? Promise.reject(new Error('not asked: the time for the whole source is over'))
      : visitNow(listed, last, visiting)
  return visit.catch((error: unknown): Visit => {
    crawler.signal?.throwIfAborted()
    const reason = plainReason(messageOf(error))
    return { event: { type: 'failed', url: last?.url ?? listed.url, reason } }
  })
}

function isSettled({ lastmod }: Listed, { validator }: KnownPage): boolean {
  return lastmod !== null && lastmod === validator.lastmod
}

function isForeign(language: string, { languages }: CrawlWish): boolean {
  return languages.length > 0 && !isLanguageWanted(language, languages)
}

function foreign({ url }: Listed, language: string): SourceEvent {
  return { type: 'skipped', path: url, reason: `in another language (${language})` }
}

function unchanged({ url, validator }: KnownPage, newer: Partial<Validator>): SourceEvent {
  return { type: 'unchanged', url, validator: renderValidator({ ...validator, ...newer }) }
}

async function visitNow(
  listed: Listed,
  last: KnownPage | undefined,
  visiting: Visiting,
): Promise<Visit> {
  const { crawler, wish } = visiting
  const skipped = (reason: string): Visit => ({
    event: { type: 'skipped', path: listed.url, reason },
  })
  if (!wish.isNamed && !(await crawler.isAllowed(new URL(listed.url)))) {
    return skipped('its robots.txt disallows it')
  }
  const lastmod = settledLastmod(listed.lastmod, Date.now())
  const newer = lastmod === undefined ? {} : { lastmod }
  const twin = await knownTwin(listed, last, visiting)
  if (twin === 'unchanged') return { event: unchanged(last!, newer) }
  const page = twin ?? (await readPage(listed, last, visiting))
  if ('skipped' in page) return skipped(page.skipped)
  if (page.status === 304) return { event: unchanged(last!, newer) }
  const { document } = page
  const validator: Validator = {
    ...validatorOf(page.headers, document.bytes),
    ...newer,
    ...(page.twin ? { twin: document.url } : {}),
    ...(page.language ? { language: page.language } : {}),
  }
  if (last && last.validator.hash === validator.hash) {
    return { event: unchanged(last, validator) }
  }
  const language = listed.language ?? pathLanguage(new URL(page.url).pathname) ?? page.language
  if (language && isForeign(language, wish)) return { event: foreign(listed, language) }
  document.lastModified ??= listed.lastmod
  return { listed, url: page.url, canonical: page.canonical, document, validator }
}

/** The answer for a page. `twin`: the document is its Markdown, from another URL. */
type Read =
  | ({ status: 200; url: string; twin: boolean } & Sent & Said)
  | { status: 304 }
  | { skipped: string }

type Sent = { document: WebDocument; headers: Headers }
type Said = { canonical: URL | null; language: string | null }
const nothingSaid: Said = { canonical: null, language: null }

async function knownTwin(
  listed: Listed,
  last: KnownPage | undefined,
  { crawler, wish, twinForm }: Visiting,
): Promise<Extract<Read, { status: 200 }> | 'unchanged' | null> {
  const noted = wish.following ? undefined : last?.validator.twin
  const address = noted ?? (twinForm && twinAddress(twinForm, listed.url))
  if (!address) return null
  const sent = await readTwin(crawler, address, noted === undefined ? {} : last!.validator)
  if (sent === null || sent === 'unchanged') return sent
  return { status: 200, url: listed.url, ...sent, twin: true, ...nothingSaid }
}

async function readPage(
  listed: Listed,
  last: KnownPage | undefined,
  { crawler, wish }: Visiting,
): Promise<Read> {
  const { isNamed, following } = wish
  const mayBeKept = last && !last.validator.twin && !following
  const conditions = mayBeKept ? conditionalHeaders(last.validator) : {}
  const headers = { accept: pageTypes, ...conditions }
  const answer = await crawler.fetch(listed.url, { headers, isNamed }, (it) => taken(it, crawler))
  if (answer.status === 304) return { status: 304 }
  const refused = refusalOf(answer)
  if (refused) return refused
  const { url, bytes, kind } = answer
  if (kind === null) return { skipped: `its content type is ${answer.headers.get('content-type')}` }
  const text = webText(bytes, answer.headers.get('content-type'))
  if (kind !== 'text') following?.onText(listed, text, url)
  const sent = sentAs(answer, kind)
  if (kind !== 'html') return { status: 200, url, ...sent, twin: false, ...nothingSaid }
  const { canonical, language, markdown, refresh } = htmlHead(text, url)
  if (refresh && refresh.href !== url) return { skipped: `it only sends on to ${refresh.href}` }
  const isOurs = markdown !== null && isWithin(markdown, crawler)
  const twin = isOurs ? await readTwin(crawler, markdown.href) : null
  return typeof twin === 'object' && twin !== null
    ? { status: 200, url, ...twin, twin: true, canonical, language }
    : { status: 200, url, ...sent, twin: false, canonical, language }
}

type Taken = Pick<HttpResponse, 'url' | 'status' | 'headers' | 'location'> & {
  bytes: Uint8Array
  kind: WebDocument['kind'] | null
}

async function taken(answer: HttpResponse, { limits }: Crawler): Promise<Taken> {
  const { url, status, headers, location } = answer
  const isPage = status === 200 || status === 203
  const bytes = isPage
    ? await answer.bytes({ sizeBytes: limits.pageBytes, timeoutMs: limits.pageTimeoutMs })
    : new Uint8Array()
  const kind = isPage ? documentKind(headers.get('content-type'), bytes, url) : null
  return { url, status, headers, location, bytes, kind }
}

/**
 * The reason to skip a page that is gone, or redirected off the site; null if the page was sent.
 * @throws Error for any other answer: the page then fails, and keeps its old text
 */
function refusalOf({ status, location }: Taken): { skipped: string } | null {
  if (status === 200 || status === 203) return null
  if (location !== null) return { skipped: `it leads to ${location}, which is not read` }
  if (status === 404 || status === 410) return { skipped: `server answered ${status}` }
  throw new Error(`server answered ${status}`)
}

/** The Markdown at a URL; null if there is none. */
async function readTwin(
  crawler: Crawler,
  address: string,
  last: Partial<Validator> = {},
): Promise<Sent | 'unchanged' | null> {
  if (!(await crawler.isAllowed(new URL(address)))) return null
  const headers = { accept: markdownTypes, ...conditionalHeaders(last) }
  const answer = await crawler.fetch(address, { headers }, (it) => taken(it, crawler))
  if (answer.status === 304) return 'unchanged'
  const { bytes, kind } = answer
  if (kind === null || kind === 'html' || looksLikeHtml(bytes)) return null
  return sentAs(answer, 'markdown')
}

function sentAs({ url, bytes, headers }: Taken, kind: WebDocument['kind']): Sent {
  const contentType = headers.get('content-type')
  const lastModified = headers.get('last-modified')
  return { headers, document: { url, bytes, kind, contentType, lastModified } }
}

function isWithin(url: URL, { sites }: Crawler): boolean {
  return sites === null || isOnSite(url, sites)
}

/**
 * How the site writes URLs of Markdown twins: learned from known pages, else by requesting some.
 */
async function formOfSite(crawler: Crawler, wish: CrawlWish): Promise<TwinForm | null> {
  for (const { url, validator } of wish.before.values()) {
    const form = validator.twin ? formOf(validator.listed ?? url, validator.twin) : null
    if (form) return form
  }
  if (wish.before.size > 0) return null
  return findTwinForm(
    wish.listing.map(({ url }) => url),
    async (address) => {
      const sent = await readTwin(crawler, address).catch(() => null)
      crawler.signal?.throwIfAborted()
      const isText = sent !== null && sent !== 'unchanged'
      return isText ? Buffer.from(sent.document.bytes).toString() : null
    },
  )
}
