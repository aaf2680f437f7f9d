import { unzipPieces, limitBytes } from '../../platform/web/encoding.ts'
import { messageOf, OgError } from '../../platform/error.ts'
import { printableUrl } from '../../platform/web/http.ts'
import type { HttpResponse } from '../../platform/web/web.ts'
import { crawl } from './crawl.ts'
import {
  openCrawler,
  reasonWithoutUrl,
  withoutUser,
  type Crawler,
  type CrawlOptions,
} from './crawler.ts'
import { parseKnownPages, failuresOfLostPages } from '../known-pages.ts'
import { isOnSite, openSiteFilter, removeTranslations, type SiteEntry } from './page-filter.ts'
import { sitemapEntries, type SitemapEntry } from './sitemap-xml.ts'
import type { KnownPages, SourceEvent } from '../source.ts'
import type { Source } from '../../store/source.ts'

/**
 * Yields the pages of a sitemap, or of the sitemaps in an index, that are on the same site.
 * @throws OgError if the sitemap itself cannot be read
 */
export async function* sitemapPages(
  source: Extract<Source, { kind: 'sitemap' }>,
  options: CrawlOptions & { before?: KnownPages } = {},
): AsyncGenerator<SourceEvent> {
  const crawler = await openCrawler(source.url, options)
  const before = parseKnownPages(options.before)
  const listing = await readListing(crawler, source)
  yield* listing.events
  if (listing.pages[0]) await crawler.isAllowed(new URL(listing.pages[0].url))
  yield* crawl(crawler, { listing: listing.pages, before, languages: source.languages })
  if (listing.lost !== null)
    yield* failuresOfLostPages(before, listing.pages, `the sitemap ${listing.lost}`)
}

export type Listing = { pages: SiteEntry[]; events: SourceEvent[]; lost: string | null }

/**
 * Returns the wanted pages of a sitemap and its child sitemaps, and events for the others. Reads no
 * page.
 * @throws OgError if the sitemap itself cannot be read, `TooManyPagesError` if it is too long
 */
export async function readListing(
  crawler: Crawler,
  source: Extract<Source, { kind: 'sitemap' }>,
): Promise<Listing> {
  const listing: Listing = { pages: [], events: [], lost: null }
  const root = await readSitemap(crawler, source.url, true)
  crawler.sites = [withoutUser(new URL(source.url)), new URL(root.url)]
  const reject = (path: string, reason: string) =>
    void listing.events.push({ type: 'skipped', path, reason })
  const filtered = openSiteFilter(source, crawler.sites, reject)
  const seen = new Set([withoutUser(new URL(source.url)).href, root.url])
  const waiting: string[] = []
  let nListed = 0
  const take = ({ entries, url, ...sitemap }: Sitemap) => {
    nListed += sitemap.nListed
    checkListed(nListed, crawler.limits.maxListed, source.url)
    for (const { type, loc, lastmod, language, english } of entries) {
      const address = absolute(loc, url)
      const listed = { url: address, lastmod, language, english: english && absolute(english, url) }
      const page = type === 'page' ? filtered(listed) : null
      if (page) listing.pages.push(page)
      if (type !== 'sitemap' || seen.has(address)) continue
      seen.add(address)
      waiting.push(address)
    }
    checkCount(listing.pages.length, crawler.limits.maxPages, source.url)
  }
  take(root)
  for (const address of waiting) {
    checkLists(waiting.length, crawler.limits.maxLists, source.url)
    const isOurs = URL.canParse(address) && isOnSite(new URL(address), crawler.sites)
    if (!isOurs) reject(address, 'a sitemap of another site')
    else await readSitemap(crawler, address, false).then(take, lose)
    function lose(error: unknown): void {
      crawler.signal?.throwIfAborted()
      if (error instanceof TooManyPagesError) throw error
      listing.lost = address
      const reason = reasonWithoutUrl(messageOf(error))
      listing.events.push({ type: 'failed', url: address, reason })
    }
  }
  listing.pages = removeTranslations(listing.pages, source, reject)
  return listing
}

type Sitemap = { url: string; entries: SitemapEntry[]; nListed: number }

async function readSitemap(crawler: Crawler, url: string, isNamed: boolean): Promise<Sitemap> {
  const headers = { accept: 'application/xml, text/xml;q=0.9, */*;q=0.5' }
  return crawler.fetch(url, { headers, isNamed }, async (answer) => {
    if (answer.status !== 200) throw unreadable(answer)
    const { listBytes, listTimeoutMs } = crawler.limits
    const pieces = answer.pieces({ sizeBytes: listBytes, timeoutMs: listTimeoutMs })
    // Unpacks a .gz file. A content-encoding has already been decoded.
    const plain = limitBytes(unzipPieces(pieces, answer.url), listBytes, () => {
      const reason = `longer than ${listBytes / 2 ** 20} MB`
      return new OgError(`Cannot read sitemap "${printableUrl(answer.url)}": ${reason}`)
    })
    const entries: SitemapEntry[] = []
    let [nLists, nListed] = [0, 0]
    for await (const entry of sitemapEntries(plain, answer.url)) {
      entries.push(entry)
      // Checked here because one list can contain ten million URLs.
      nListed += weightOf(entry)
      checkListed(nListed, crawler.limits.maxListed, url)
      if (entry.type === 'sitemap') checkLists(++nLists, crawler.limits.maxLists, url)
    }
    return { url: answer.url, entries, nListed }
  })
}

function unreadable({ url, status, location }: HttpResponse): OgError {
  const reason = location === null ? `server answered ${status}` : `it leads to ${location}`
  return new OgError(`Cannot read sitemap "${printableUrl(url)}": ${reason}`, {
    hint: 'the robots.txt of a site has the address of its sitemap (Sitemap:)',
  })
}

/** The error for a readable sitemap that exceeds a limit. */
export class TooManyPagesError extends OgError {}

function checkCount(count: number, limit: number, url: string): void {
  if (count <= limit) return
  throw new TooManyPagesError(
    `Cannot read sitemap "${printableUrl(url)}": over ${limit} pages in it`,
    { hint: '--filter-keyword WORD selects pages by their path, --exclude leaves some out' },
  )
}

function weightOf({ loc, english }: SitemapEntry): number {
  return 1 + Math.floor((loc.length + (english?.length ?? 0)) / 256)
}

/** Rejects too many URLs. Unwanted URLs count too because each causes a `skipped` event. */
function checkListed(count: number, limit: number, url: string): void {
  if (count <= limit) return
  const reason = `over ${limit} addresses in it`
  throw new TooManyPagesError(`Cannot read sitemap "${printableUrl(url)}": ${reason}`, {
    hint: 'use the sitemap of a part of the site, or an llms.txt, as the source',
  })
}

function checkLists(count: number, limit: number, url: string): void {
  if (count <= limit) return
  const reason = `it leads to over ${limit} sitemaps`
  throw new TooManyPagesError(`Cannot read sitemap "${printableUrl(url)}": ${reason}`, {
    hint: 'use one of them as the source',
  })
}

function absolute(loc: string, base: string): string {
  return URL.canParse(loc, base) ? new URL(loc, base).href : loc
}
