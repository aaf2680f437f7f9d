import { crawl, type LinkFollowing } from './crawl.ts'
import { openCrawler, withoutUser, type Crawler, type CrawlOptions } from './crawler.ts'
import { openDuplicates } from './duplicates.ts'
import { parseKnownPages, type KnownPage } from '../known-pages.ts'
import {
  hasFilterKeyword,
  isBelow,
  isOnSite,
  noKeywordReason,
  openSiteFilter,
  type SiteEntry,
} from './page-filter.ts'
import { pathsInOtherLanguages } from '../select/translations.ts'
import type { KnownPages, SourceEvent } from '../source.ts'
import type { Source } from '../../store/source.ts'
import { attributesOf, tagTexts } from './html-head.ts'

type SiteSource = Extract<Source, { kind: 'site' }>

/**
 * Yields the page at a URL, and the pages reached by links, on the same site and below the same
 * path. The walk is breadth-first, so the order is always the same. Does not follow URLs with a
 * query, because a site may have any number of them.
 */
export async function* sitePages(
  source: SiteSource,
  options: CrawlOptions & { before?: KnownPages } = {},
): AsyncGenerator<SourceEvent> {
  const crawler = await openCrawler(source.url, options)
  const start = withoutUser(new URL(source.url))
  start.hash = ''
  crawler.sites = [start]
  const before = parseKnownPages(options.before)
  const walk = openWalk(crawler, { ...source, below: source.below ?? start.pathname })
  let hasFailed = false
  for (let listing = walk.first(start.href); listing.length > 0; listing = walk.next(listing)) {
    yield* walk.rejected()
    const request = { listing, before, languages: source.languages, following: walk.following }
    for await (const event of crawl(crawler, request)) {
      hasFailed ||= event.type === 'failed'
      yield ofSource(event, source)
    }
  }
  yield* walk.rejected()
  if (hasFailed) yield* unreachedPages(before, walk.seen)
}

function ofSource(event: SourceEvent, source: SiteSource): SourceEvent {
  if (event.type !== 'page' || hasFilterKeyword(new URL(event.page.url), source)) return event
  return { type: 'skipped', path: event.page.url, reason: noKeywordReason }
}

function openWalk({ limits, sites }: Crawler, source: SiteSource & { below: string }) {
  const links = new Map<string, string[]>()
  const seen = new Set<string>()
  const events: SourceEvent[] = []
  const reject = (path: string, reason: string) =>
    void events.push({ type: 'skipped', path, reason })
  const filtered = openSiteFilter({ ...source, filterKeywords: [] }, sites!, reject)
  const duplicates = openDuplicates([], sites)
  let nListed = 0
  const following: LinkFollowing = {
    duplicates,
    until: Date.now() + limits.totalMs,
    onText({ url: listed }, text, url) {
      seen.add(url)
      links.set(
        listed,
        pageLinks(text, url).filter((link) => isPlace(new URL(link))),
      )
    },
  }
  const isPlace = (url: URL) =>
    url.search === '' && isOnSite(url, sites!) && isBelow(url, source.below)

  function listingOf(urls: string[]): SiteEntry[] {
    const fresh = urls
      .filter((url) => !seen.has(url))
      .flatMap((url) => {
        seen.add(url)
        return filtered({ url, lastmod: null, language: null }) ?? []
      })
    const pages = originals(fresh)
    const withinLimit = pages.slice(0, limits.maxFollowed - nListed)
    const most = `beyond ${limits.maxFollowed} pages, the most that links are followed to`
    for (const { url } of pages.slice(withinLimit.length)) reject(url, most)
    nListed += withinLimit.length
    duplicates.list(withinLimit)
    return withinLimit
  }
  /** Removes translations of pages seen so far, unless languages were requested. */
  function originals(pages: SiteEntry[]): SiteEntry[] {
    const { languages } = source
    const foreign =
      languages.length > 0
        ? new Map<string, string>()
        : pathsInOtherLanguages([...seen], { languages })
    return pages.filter(({ url }) => {
      const reason = foreign.get(url)
      if (reason !== undefined) reject(url, reason)
      return reason === undefined
    })
  }
  return {
    following,
    seen,
    /** Returns events for the URLs omitted since the last call. */
    rejected: () => events.splice(0),
    first: (url: string) => listingOf([url]),
    next(listing: SiteEntry[]): SiteEntry[] {
      const urls = listing.flatMap(({ url }) => links.get(url) ?? [])
      links.clear()
      return listingOf(urls)
    },
  }
}

/**
 * Yields failures for known pages that were not reached because a page that may link to them could
 * not be read. They may still exist.
 */
function* unreachedPages(before: Map<string, KnownPage>, seen: Set<string>): Iterable<SourceEvent> {
  for (const [address, { url }] of before) {
    if (seen.has(address) || seen.has(url)) continue
    yield { type: 'failed', url, reason: 'a page that may link to it could not be read' }
  }
}

export function pageLinks(text: string, base: string): string[] {
  const isHtml = /<(?:!doctype|html|head|body|a)\b/i.test(text)
  const allLinks = isHtml ? htmlLinks(text) : markdownLinks(text)
  const from = isHtml ? baseOf(text, base) : base
  const links = allLinks
    .filter((link) => URL.canParse(link, from))
    .map((link) => {
      const url = new URL(link, from)
      url.hash = ''
      return url
    })
  const urls = links.filter(({ protocol }) => /^https?:$/.test(protocol))
  return [...new Set(urls.map(({ href }) => href))]
}

const maxLinks = 10_000

function htmlLinks(html: string): string[] {
  const links = tagTexts(html, 'a', maxLinks).map(attributesOf)
  return links.flatMap(({ href, rel = '' }) => (href && !/\bnofollow\b/i.test(rel) ? [href] : []))
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

export async function* webPage(
  source: Extract<Source, { kind: 'web_page' }>,
  options: CrawlOptions & { before?: KnownPages } = {},
): AsyncGenerator<SourceEvent> {
  const crawler = await openCrawler(source.url, options)
  const url = withoutUser(new URL(source.url))
  url.hash = ''
  const listing = [{ url: url.href, lastmod: null, language: null }]
  const before = parseKnownPages(options.before)
  yield* crawl(crawler, { listing, before, languages: [], isNamed: true })
}
