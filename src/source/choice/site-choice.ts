import { messageOf, OgError } from '../../platform/error.ts'
import { printableUrl } from '../../platform/web/http.ts'
import type { SitemapFilter, Source } from '../../store/source.ts'
import {
  openCrawler,
  reasonWithoutUrl,
  withoutUser,
  type Crawler,
  type CrawlOptions,
} from '../web/crawler.ts'
import { countLlmsPages } from '../web/llms-txt.ts'
import { isBelow } from '../web/page-filter.ts'
import { readListing, TooManyPagesError } from '../web/sitemap.ts'
import { detectDocumentFormat } from '../web-document.ts'
import { unreachableGap, type SourceChoice, type RejectedCandidate } from './choice.ts'

type SiteSource = Extract<Source, { kind: 'site' }>

/**
 * Finds how to list the pages of a site, or of the part below a path. Tries the sitemaps in its
 * robots.txt, and then sitemap.xml, sitemap_index.xml, llms-full.txt and llms.txt, first in the
 * path's folder and then at the top. Otherwise, follows links. Ignores a list of fewer than two
 * pages.
 * @throws OgError if the site cannot be reached, or its list exceeds a limit
 */
export async function chooseForSite(
  source: SiteSource,
  options: CrawlOptions,
): Promise<SourceChoice> {
  const crawler = await openCrawler(source.url, options)
  const start = await startOf(crawler, source.url)
  if (!start.isSite) {
    return { source: { kind: 'web_page', url: source.url }, how: 'one page', rejected: [] }
  }
  const { below: _, ...filter } = source
  const url = startUrl(source, start.url)
  const below = url.pathname === '/' ? {} : { below: url.pathname }
  const rejected: RejectedCandidate[] = []
  let gap: Pick<SourceChoice, 'incomplete'> = {}
  for (const list of await listsOf(crawler, url)) {
    const listed = { ...filter, ...below, kind: list.kind, url: list.url }
    const outcome = await countPages(crawler, listed).catch((error: unknown) => {
      crawler.signal?.throwIfAborted()
      if (error instanceof TooManyPagesError) throw error
      // A guessed list may not exist. Many sites then respond with 500.
      const isNamed = list.by !== '' && error instanceof OgError
      if (isNamed && error.code === 'unreachable') {
        gap = { incomplete: unreachableGap(new URL(list.url).host, source) }
      }
      return reasonWithoutUrl(messageOf(error))
    })
    const place = printableUrl(list.url)
    if (typeof outcome === 'number' && outcome > 1) {
      const how = `${list.what} ${place} (${outcome} pages)${list.by}`
      return { source: listed, how, rejected, ...gap }
    }
    rejected.push({
      place,
      reason: typeof outcome === 'number' ? fewPages(outcome, below) : outcome,
    })
  }
  const most = crawler.limits.maxFollowed
  const how =
    `links from ${printableUrl(url.href)} on, at most ${most} pages below it; ` +
    'the site has no sitemap, llms-full.txt or llms.txt that could be used'
  return { source: { ...filter, ...below, url: url.href }, how, rejected, ...gap }
}

/** Returns the URL after redirects, and whether further pages may be below it. */
async function startOf(crawler: Crawler, url: string): Promise<{ url: URL; isSite: boolean }> {
  const request = { headers: { accept: 'text/html, */*;q=0.5' }, isNamed: true }
  return crawler.fetch(url, request, async (answer) => {
    if (answer.status !== 200) return { url: new URL(answer.url), isSite: true }
    const start = await firstBytes(answer.pieces({ sizeBytes: Infinity, timeoutMs: 30_000 }))
    const kind = detectDocumentFormat(answer.headers.get('content-type'), start, answer.url)
    return { url: new URL(answer.url), isSite: kind !== null && kind !== 'text' }
  })
}

async function firstBytes(pieces: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  for await (const piece of pieces) return piece
  return new Uint8Array()
}

function startUrl({ url: address, below }: SiteSource, finalUrl: URL): URL {
  const url = new URL(address)
  url.hash = ''
  url.pathname = below ?? '/'
  if (finalUrl.host === url.host && isBelow(finalUrl, url.pathname)) return url
  const place = new URL(finalUrl)
  place.pathname = place.pathname.replace(/[^/]*$/, '')
  place.search = place.hash = ''
  if (finalUrl.origin === url.origin)
    [place.username, place.password] = [url.username, url.password]
  return place
}

type List = { kind: 'sitemap' | 'llms_txt'; url: string; what: string; by: string }

async function listsOf(crawler: Crawler, url: URL): Promise<List[]> {
  const robotsSitemaps = await crawler.sitemaps(url)
  const robots = new URL('/robots.txt', withUser(url.origin, url)).href
  const sitemap = (at: string, by = ''): List => ({ kind: 'sitemap', url: at, what: 'sitemap', by })
  const byRobots = ', which its robots.txt names'
  const first =
    robotsSitemaps.length === 1
      ? [sitemap(robotsSitemaps[0]!, byRobots)]
      : robotsSitemaps.length > 1
        ? [{ ...sitemap(robots), what: `${robotsSitemaps.length} sitemaps of` }]
        : []
  const folder = url.pathname.endsWith('/') ? url.pathname : `${url.pathname}/`
  const folders = [...new Set([folder, '/'])]
  const at = (folder: string, file: string) => withUser(new URL(folder + file, url).href, url)
  const sitemaps = folders.flatMap((folder) =>
    ['sitemap.xml', 'sitemap_index.xml'].map((file) => sitemap(at(folder, file))),
  )
  // The llms-full.txt of a whole site cannot be restricted to a path.
  const whole = at(folder, 'llms-full.txt')
  const texts = folders.map((folder) => at(folder, 'llms.txt'))
  const guessed = [
    ...sitemaps,
    { kind: 'llms_txt', url: whole, what: 'llms-full.txt', by: '' } as const,
    ...texts.map((url) => ({ kind: 'llms_txt', url, what: 'llms.txt', by: '' }) as const),
  ]
  const isNew = ({ url }: List) => !robotsSitemaps.includes(withoutUser(new URL(url)).href)
  return [...first, ...guessed.filter(isNew)]
}

/** Adds the user name and password in the entered URL to a second URL on the same host. */
function withUser(address: string, { username, password }: URL): string {
  const url = new URL(address)
  url.username = username
  url.password = password
  return url.href
}

async function countPages(
  crawler: Crawler,
  source: SitemapFilter & Pick<List, 'kind' | 'url'>,
): Promise<number> {
  const { kind, url } = source
  if (!(await crawler.isAllowed(new URL(url)))) throw new Error('its robots.txt disallows it')
  crawler.sites = [withoutUser(new URL(url))]
  if (kind === 'llms_txt') return countLlmsPages(crawler, { ...source, kind })
  return (await readListing(crawler, { ...source, kind })).pages.length
}

function fewPages(count: number, { below }: { below?: string }): string {
  const where = below === undefined ? '' : ` below ${below}`
  return count === 0 ? `none of its pages${where} is selected` : `only one page${where} in it`
}
