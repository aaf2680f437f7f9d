import { runInOrder } from '../../platform/concurrency.ts'
import { messageOf, OgError, reasonOf } from '../../platform/error.ts'
import { formats } from '../../formats/formats.ts'
import type { HttpResponse } from '../../platform/web/web.ts'
import { decodeWebText } from '../../formats/decode.ts'
import { reasonWithoutUrl, withoutUser, type Crawler } from './crawler.ts'
import { openDuplicates, type Duplicates } from './duplicates.ts'
import { htmlHead, saysNoindex } from './html-head.ts'
import type { KnownPage } from '../known-pages.ts'
import { isLanguageWanted, pathLanguage } from '../select/translations.ts'
import { isOnSite, type SiteEntry } from './page-filter.ts'
import { parseDocument, parseInOrder } from '../page-parser.ts'
import type { SourceEvent } from '../source.ts'
import {
  conditionalHeaders,
  renderValidator,
  reliableLastmod,
  validatorOf,
  type Validator,
} from '../validator.ts'
import {
  detectDocumentFormat,
  looksLikeHtml,
  acceptMarkdown,
  acceptPages,
  type WebDocument,
} from '../web-document.ts'

type CrawlJob = {
  listing: SiteEntry[]
  before: Map<string, KnownPage>
  languages: string[]
  /** True if a person entered exactly these pages. robots.txt is then ignored. */
  isNamed?: boolean
  following?: LinkFollowing
}

export type LinkFollowing = {
  duplicates: Duplicates
  /** The end of the whole crawl, in ms since the epoch. No page is requested after it. */
  until: number
  /** True if the first page must not appear in search results. The crawl sets it. */
  isHidden?: boolean
  onText(listed: SiteEntry, text: string, url: string): void
}

/**
 * Yields the pages in a listing, in listing order. Does not read unchanged pages, reads a page as
 * Markdown if the site offers that, and yields a page with several URLs once.
 */
export async function* crawl(crawler: Crawler, job: CrawlJob): AsyncGenerator<SourceEvent> {
  const { following } = job
  // Take links from the page itself, because its Markdown twin may lack them.
  const twinForm = following ? null : await formOfSite(crawler, job)
  const until = following?.until ?? Date.now() + crawler.limits.totalMs
  const context: VisitContext = { crawler, job, twinForm, until }
  const duplicates = following?.duplicates ?? openDuplicates(job.listing, crawler.sites)
  const lanes = crawler.limits.lanes * 4 // For all hosts together; each host has its own limit.
  const bytesOf = (_: SiteEntry, visit?: Visit) => (visit === undefined ? 0 : visitBytes(visit))
  const visits = runInOrder(job.listing, (it) => visitPage(it, context), { lanes, bytesOf })
  const pages = assignUrls(visits, duplicates)
  for await (const event of parseInOrder(pages, parsePlaced(crawler), visitBytes)) {
    crawler.signal?.throwIfAborted()
    yield event
  }
}

type PlacedPage = SourceEvent | (VisitedPage & { address: string })

/** Assigns each page its URL. Visits must arrive in listing order. */
async function* assignUrls(
  visits: AsyncIterable<Visit>,
  duplicates: Duplicates,
): AsyncGenerator<PlacedPage> {
  for await (const visit of visits) {
    if ('event' in visit) {
      const { event } = visit
      if (event.type !== 'unchanged' || duplicates.reserve(event.url)) yield event
    } else {
      const place = duplicates.place(visit)
      if ('url' in place) yield { ...visit, address: withoutUser(new URL(place.url)).href }
      else yield { type: 'skipped', path: visit.listed.url, reason: place.skipped }
    }
  }
}

function visitBytes(visit: Visit | PlacedPage): number {
  return 'document' in visit ? visit.document.bytes.length : 0
}

function parsePlaced({ signal }: Crawler): (page: PlacedPage) => Promise<SourceEvent> {
  return async (placed) => {
    if ('type' in placed) return placed
    const { listed, document, address } = placed
    const other = address !== listed.url ? { listed: listed.url } : {}
    const validator = renderValidator({ ...placed.validator, ...other })
    return parseDocument(document, address, signal).then(
      ([page, ...parts]) => ({
        type: 'page',
        page: page!,
        ...(parts.length > 0 ? { parts } : {}),
        validator,
      }),
      (error: unknown) =>
        error instanceof OgError && error.code === 'absent'
          ? { type: 'skipped', path: address, reason: reasonOf(error) }
          : { type: 'failed', url: address, reason: messageOf(error) },
    )
  }
}

type VisitContext = { crawler: Crawler; job: CrawlJob; twinForm: TwinForm | null; until: number }

type Visit = { event: SourceEvent } | VisitedPage

type VisitedPage = {
  listed: SiteEntry
  url: string
  canonical: URL | null
  document: WebDocument
  validator: Validator
}

async function visitPage(listed: SiteEntry, context: VisitContext): Promise<Visit> {
  const { crawler, job, until } = context
  const last = job.before.get(listed.url)
  crawler.signal?.throwIfAborted()
  const language = last?.validator.language
  if (language && isForeign(language, job)) return { event: foreignEvent(listed, language) }
  if (last && isSettled(listed, last)) return { event: unchangedEvent(last, {}) }
  const visit =
    Date.now() > until
      ? Promise.reject(new Error('not fetched: the time limit for the source was reached'))
      : visitNow(listed, last, context)
  return visit.catch((error: unknown): Visit => {
    crawler.signal?.throwIfAborted()
    const reason = reasonWithoutUrl(messageOf(error))
    return { event: { type: 'failed', url: last?.url ?? listed.url, reason } }
  })
}

function isSettled({ lastmod }: SiteEntry, { validator }: KnownPage): boolean {
  return lastmod !== null && lastmod === validator.lastmod
}

function isForeign(language: string, { languages }: CrawlJob): boolean {
  return languages.length > 0 && !isLanguageWanted(language, languages)
}

function foreignEvent({ url }: SiteEntry, language: string): SourceEvent {
  return { type: 'skipped', path: url, reason: `in another language (${language})` }
}

function unchangedEvent({ url, validator }: KnownPage, newer: Partial<Validator>): SourceEvent {
  return { type: 'unchanged', url, validator: renderValidator({ ...validator, ...newer }) }
}

async function visitNow(
  listed: SiteEntry,
  last: KnownPage | undefined,
  context: VisitContext,
): Promise<Visit> {
  const { crawler, job } = context
  const skipped = (reason: string): Visit => ({
    event: { type: 'skipped', path: listed.url, reason },
  })
  if (!job.isNamed && !(await crawler.isAllowed(new URL(listed.url)))) {
    return skipped('its robots.txt disallows it')
  }
  const lastmod = reliableLastmod(listed.lastmod, Date.now())
  const newer = lastmod === undefined ? {} : { lastmod }
  const twin = await knownTwin(listed, last, context)
  if (twin === 'unchanged') return { event: unchangedEvent(last!, newer) }
  const page = twin ?? (await readPage(listed, last, context))
  if ('skipped' in page) return skipped(page.skipped)
  if (page.status === 304) return { event: unchangedEvent(last!, newer) }
  const { document } = page
  const validator: Validator = {
    ...validatorOf(page.headers, document.bytes),
    ...newer,
    ...(page.twin ? { twin: document.url } : {}),
    ...(page.language ? { language: page.language } : {}),
  }
  if (last && last.validator.hash === validator.hash) {
    return { event: unchangedEvent(last, validator) }
  }
  const language = listed.language ?? pathLanguage(new URL(page.url).pathname) ?? page.language
  if (language && isForeign(language, job)) return { event: foreignEvent(listed, language) }
  document.lastModified ??= listed.lastmod
  return { listed, url: page.url, canonical: page.canonical, document, validator }
}

type Read =
  | ({ status: 200; url: string; twin: boolean } & TextResponse & HeadFields)
  | { status: 304 }
  | { skipped: string }

type TextResponse = { document: WebDocument; headers: Headers }
type HeadFields = { canonical: URL | null; language: string | null }
const noHeadFields: HeadFields = { canonical: null, language: null }

async function knownTwin(
  listed: SiteEntry,
  last: KnownPage | undefined,
  { crawler, job, twinForm }: VisitContext,
): Promise<Extract<Read, { status: 200 }> | 'unchanged' | null> {
  const knownAddress = job.following ? undefined : last?.validator.twin
  const address = knownAddress ?? (twinForm && twinAddress(twinForm, listed.url))
  if (!address) return null
  const response = await readTwin(
    crawler,
    address,
    knownAddress === undefined ? {} : last!.validator,
  )
  if (response === null || response === 'unchanged') return response
  return { status: 200, url: listed.url, ...response, twin: true, ...noHeadFields }
}

async function readPage(
  listed: SiteEntry,
  last: KnownPage | undefined,
  { crawler, job }: VisitContext,
): Promise<Read> {
  const { isNamed, following } = job
  const mayBeKept = last && !last.validator.twin && !following
  const conditions = mayBeKept ? conditionalHeaders(last.validator) : {}
  const headers = { accept: acceptPages, ...conditions }
  const answer = await crawler.fetch(listed.url, { headers, isNamed }, (it) =>
    readResponse(it, crawler),
  )
  if (answer.status === 304) return { status: 304 }
  const refused = refusalOf(answer)
  if (refused) return refused
  const { url, bytes, kind } = answer
  if (kind === null) return { skipped: `its content type is ${answer.headers.get('content-type')}` }
  const isText = formats[kind].parseBytes === undefined
  const text = isText ? decodeWebText(bytes, answer.headers.get('content-type')) : ''
  if (isText && kind !== 'text') following?.onText(listed, text, url)
  const response = toTextResponse(answer, kind)
  const head = kind === 'html' ? htmlHead(text, url) : null
  if (head?.refresh && head.refresh.href !== url)
    return { skipped: `it only redirects to ${head.refresh.href}` }
  const isHidden = head?.isHidden === true || saysNoindex(answer.headers.get('x-robots-tag') ?? '')
  // If the first page itself says noindex, as in an old version, noindex does not matter.
  if (following) following.isHidden ??= isHidden
  if (isHidden && following?.isHidden === false) return { skipped: 'its robots tag says noindex' }
  if (head === null) return { status: 200, url, ...response, twin: false, ...noHeadFields }
  const { canonical, language, markdown } = head
  const isOurs = markdown !== null && isWithin(markdown, crawler)
  const twin = isOurs ? await readTwin(crawler, markdown.href) : null
  return typeof twin === 'object' && twin !== null
    ? { status: 200, url, ...twin, twin: true, canonical, language }
    : { status: 200, url, ...response, twin: false, canonical, language }
}

type ReadResponse = Pick<HttpResponse, 'url' | 'status' | 'headers' | 'location'> & {
  bytes: Uint8Array
  kind: WebDocument['kind'] | null
}

async function readResponse(answer: HttpResponse, { limits }: Crawler): Promise<ReadResponse> {
  const { url, status, headers, location } = answer
  const isPage = status === 200 || status === 203
  const bytes = isPage
    ? await answer.bytes({ sizeBytes: limits.pageBytes, timeoutMs: limits.pageTimeoutMs })
    : new Uint8Array()
  const kind = isPage ? detectDocumentFormat(headers.get('content-type'), bytes, url) : null
  return { url, status, headers, location, bytes, kind }
}

/**
 * Returns why a page is skipped (missing, or redirected to another site), or null if the server
 * sent the page.
 * @throws Error for any other response: the page then fails and keeps its old text
 */
function refusalOf({ status, location }: ReadResponse): { skipped: string } | null {
  if (status === 200 || status === 203) return null
  if (location !== null) return { skipped: `it leads to ${location}, which is not read` }
  if (status === 404 || status === 410) return { skipped: `server answered ${status}` }
  throw new Error(`server answered ${status}`)
}

async function readTwin(
  crawler: Crawler,
  address: string,
  last: Partial<Validator> = {},
): Promise<TextResponse | 'unchanged' | null> {
  if (!(await crawler.isAllowed(new URL(address)))) return null
  const headers = { accept: acceptMarkdown, ...conditionalHeaders(last) }
  const answer = await crawler.fetch(address, { headers }, (it) => readResponse(it, crawler))
  if (answer.status === 304) return 'unchanged'
  const { bytes, kind } = answer
  if (kind === null || kind === 'html' || looksLikeHtml(bytes)) return null
  return toTextResponse(answer, 'markdown')
}

function toTextResponse(
  { url, bytes, headers }: ReadResponse,
  kind: WebDocument['kind'],
): TextResponse {
  const contentType = headers.get('content-type')
  const lastModified = headers.get('last-modified')
  return { headers, document: { url, bytes, kind, contentType, lastModified } }
}

function isWithin(url: URL, { sites }: Crawler): boolean {
  return sites === null || isOnSite(url, sites)
}

/** Returns the URL form of the site's Markdown twins, from known pages or by requesting some. */
async function formOfSite(crawler: Crawler, job: CrawlJob): Promise<TwinForm | null> {
  for (const { url, validator } of job.before.values()) {
    const form = validator.twin ? twinFormOf(validator.listed ?? url, validator.twin) : null
    if (form) return form
  }
  if (job.before.size > 0) return null
  return findTwinForm(
    job.listing.map(({ url }) => url),
    async (address) => {
      const response = await readTwin(crawler, address).catch(() => null)
      crawler.signal?.throwIfAborted()
      const isText = response !== null && response !== 'unchanged'
      return isText ? Buffer.from(response.document.bytes).toString() : null
    },
  )
}

/** The URL form of a site's Markdown twins. */
export type TwinForm = 'page.md' | 'index.md' | 'page.html.md'

const forms: TwinForm[] = ['page.md', 'page.html.md', 'index.md']

/** Returns the URL of a page's twin in this form, or null if the form does not apply. */
export function twinAddress(form: TwinForm, page: string): string | null {
  const url = new URL(page)
  const { pathname } = url
  if (url.search !== '' || /\.(?!html?$)[a-z0-9]{1,5}$/i.test(pathname)) return null
  const path = twinPath(form, pathname)
  url.pathname = path ?? ''
  return path === null ? null : url.href
}

/** Returns the twin's path. `/a/b`, `/a/b/` and `/a/b.html` are all paths of pages. */
function twinPath(form: TwinForm, path: string): string | null {
  if (form === 'page.md') return `${path.replace(/\/$|\.html?$/i, '') || '/index'}.md`
  if (form === 'index.md') return path.endsWith('/') && path !== '/' ? `${path}index.md` : null
  if (path.endsWith('/')) return `${path}index.html.md`
  return /\.html?$/i.test(path) ? `${path}.md` : null
}

/**
 * Returns the form of a site's twins, tested on two of its pages. Both twins must be Markdown, and
 * they must differ. Returns null if there are no twins, which takes at most three requests.
 */
export async function findTwinForm(
  pages: string[],
  markdownOf: (url: string) => Promise<string | null>,
): Promise<TwinForm | null> {
  const inner = pages.filter((page) => new URL(page).pathname !== '/')
  const samples = [...new Set([inner[0] ?? pages[0], inner[Math.floor(inner.length / 2)]])]
  for (const form of forms) {
    const texts = new Set<string>()
    for (const sample of samples) {
      const address = sample === undefined ? null : twinAddress(form, sample)
      const text = address === null ? null : await markdownOf(address)
      if (text === null || !/[\p{L}\p{N}]/u.test(text)) break
      texts.add(text)
    }
    if (texts.size > 0 && texts.size === samples.filter(Boolean).length) return form
  }
  return null
}

export function twinFormOf(page: string, twin: string): TwinForm | null {
  return forms.find((form) => twinAddress(form, page) === twin) ?? null
}
