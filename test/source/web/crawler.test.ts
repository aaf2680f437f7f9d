import { expect, test } from 'bun:test'
import { NetworkError } from '../../../src/platform/web/http.ts'
import type { HttpResponse } from '../../../src/platform/web/web.ts'
import {
  openCrawler,
  reasonWithoutUrl,
  withoutUser,
  type Crawler,
  type CrawlOptions,
} from '../../../src/source/web/crawler.ts'
import {
  html,
  openSite,
  redirect,
  status,
  type Replies,
  type Site,
} from '../../support/servers/site.ts'

type Options = CrawlOptions & { user?: string }

/** Runs with a site's crawler that never waits between requests. */
async function crawling(
  replies: Replies,
  run: (crawler: Crawler, site: Site) => Promise<void>,
  options: Options = {},
) {
  using site = openSite(replies)
  const { user = '', ...rest } = options
  const root = site.url.replace('://', `://${user}`)
  await run(await openCrawler(root, { sleep: async () => {}, backoffMs: 0, ...rest }), site)
}

const text = async (answer: HttpResponse) =>
  Buffer.from(await answer.bytes({ sizeBytes: 1e6, timeoutMs: 10_000 })).toString()
const shown = async (answer: HttpResponse) => `${answer.status} ${new URL(answer.url).pathname}`

test("fetches a page with og's user agent, and passes it to the reader", () =>
  crawling({ '/a': html('A') }, async (crawler, site) => {
    const headers = { accept: 'text/markdown' }
    expect(await crawler.fetch(`${site.url}/a`, { headers }, text)).toContain('<h1>A</h1>')
    expect(site.headers.get('/a')!.get('user-agent')).toMatch(/^og\/\d\S* \(documentation search/)
    expect(site.headers.get('/a')!.get('accept')).toBe('text/markdown')
  }))

test('returns permanent statuses to the reader, and throws temporary ones', () =>
  crawling(
    { '/gone': status(410), '/none': status(404), '/busy': status(503), '/later': status(429) },
    async (crawler, site) => {
      expect(await crawler.fetch(`${site.url}/gone`, {}, shown)).toBe('410 /gone')
      expect(await crawler.fetch(`${site.url}/none`, {}, shown)).toBe('404 /none')
      for (const [path, code] of [
        ['busy', 503],
        ['later', 429],
      ] as const) {
        const error = await crawler
          .fetch(`${site.url}/${path}`, {}, shown)
          .catch((it: unknown) => it)
        expect(error).toBeInstanceOf(NetworkError)
        expect((error as Error).message).toBe(
          `Cannot fetch "${site.url}/${path}": server answered ${code}`,
        )
      }
      expect(site.requests.filter((request) => request.endsWith('/busy'))).toHaveLength(3)
    },
  ))

test('stops crawling a host that asks for a long pause', () =>
  crawling(
    { '/a': status(503, { 'retry-after': '120' }), '/b': html('B') },
    async (crawler, site) => {
      await expect(crawler.fetch(`${site.url}/a`, {}, shown)).rejects.toThrow('server answered 503')
      await expect(crawler.fetch(`${site.url}/b`, {}, shown)).rejects.toThrow(
        'asks to retry later (Retry-After: 120)',
      )
      expect(site.requests).not.toContain('GET /b')
    },
  ))

test("follows a redirect to the source's sites, if robots.txt allows it", async () => {
  const replies = {
    '/robots.txt': 'User-agent: *\nDisallow: /closed',
    '/a': redirect('/b'),
    '/b': html('B'),
    '/c': redirect('/closed'),
    '/closed': html('no'),
    '/d': redirect('http://other.test/x'),
  }
  await crawling(replies, async (crawler, site) => {
    crawler.sites = [new URL(site.url)]
    const fetch = (path: string, isNamed = false) =>
      crawler.fetch(`${site.url}${path}`, { isNamed }, shown)
    expect(await fetch('/a')).toBe('200 /b')
    expect(await fetch('/c')).toBe('302 /c')
    expect(await fetch('/d')).toBe('302 /d')
    // robots.txt applies only to URLs that the crawler finds.
    expect(await fetch('/c', true)).toBe('200 /closed')
    expect(await fetch('/d', true)).toBe('302 /d')
  })
})

test('fetches a URL entered by a person without reading robots.txt', () =>
  crawling({ '/a': html('A') }, async (crawler, site) => {
    await crawler.fetch(`${site.url}/a`, { isNamed: true }, shown)
    expect(site.requests).toEqual(['GET /a'])
    await crawler.fetch(`${site.url}/a`, {}, shown)
    expect(site.requests).toEqual(['GET /a', 'GET /robots.txt', 'GET /a'])
  }))

test('returns the rules and sitemaps of a host', () =>
  crawling(
    { '/robots.txt': 'User-agent: *\nDisallow: /a\nSitemap: /map.xml' },
    async (crawler, site) => {
      expect(await crawler.isAllowed(new URL(`${site.url}/a`))).toBe(false)
      expect(await crawler.sitemaps(new URL(site.url))).toEqual([`${site.url}/map.xml`])
    },
  ))

const basic = (pair: string) => `Basic ${Buffer.from(pair).toString('base64')}`

test('sends a name and password decoded to their own origin, and stores them in no URL', () =>
  crawling(
    { '/a': html('A') },
    async (crawler, site) => {
      const own = site.url.replace('://', '://ann:p%40ss@')
      expect(await crawler.fetch(`${own}/a`, {}, async ({ url }) => url)).toBe(`${site.url}/a`)
      expect(site.headers.get('/a')!.get('authorization')).toBe(basic('ann:p@ss'))
      expect(site.headers.get('/robots.txt')!.get('authorization')).toBe(basic('ann:p@ss'))
      using other = openSite({ '/b': html('B') })
      await crawler.fetch(`${other.url}/b`, {}, shown)
      expect(other.headers.get('/b')!.get('authorization')).toBeNull()
    },
    { user: 'ann:p%40ss@', lookup: async () => ['127.0.0.1'] },
  ))

test('sends a bare percent sign of a password unchanged', () =>
  crawling(
    { '/a': html('A') },
    async (crawler, site) => {
      await crawler.fetch(`${site.url}/a`, {}, shown)
      expect(site.headers.get('/a')!.get('authorization')).toBe(basic('ann:100%'))
    },
    { user: 'ann:100%@' },
  ))

test('uses the default limits unless others are given', () =>
  crawling(
    {},
    async ({ limits }) => {
      expect([limits.lanes, limits.maxPages, limits.pageBytes]).toEqual([3, 50_000, 8 * 2 ** 20])
    },
    { limits: { lanes: 3 } },
  ))

test('rejects after an abort', () =>
  crawling(
    { '/a': html('A') },
    async (crawler, site) => {
      await expect(crawler.fetch(`${site.url}/a`, { isNamed: true }, shown)).rejects.toThrow(
        'given up',
      )
      expect(site.requests).toEqual([])
    },
    { signal: AbortSignal.abort(new Error('given up')) },
  ))

test('removes the user from a URL, and the URL from a reason', () => {
  const typed = new URL('https://ann:secret@x.org/a?b#c')
  expect(withoutUser(typed).href).toBe('https://x.org/a?b#c')
  expect(typed.username).toBe('ann')
  for (const [message, reason] of [
    ['Cannot fetch "https://x.org/": server answered 503', 'server answered 503'],
    ['Cannot read sitemap "x": it is empty', 'it is empty'],
    ['Cannot read page "a": b: c', 'b: c'],
    ['Cannot reach "x": refused', 'refused'],
    ['something else', 'something else'],
  ] as const)
    expect(reasonWithoutUrl(message)).toBe(reason)
})
