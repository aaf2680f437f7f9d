import { expect, test } from 'bun:test'
import { OgError } from '../../../src/platform/error.ts'
import { openWeb } from '../../../src/platform/web/web.ts'
import { openRobots, type Robots } from '../../../src/source/web/crawler.ts'
import {
  html,
  openSite,
  redirect,
  status,
  type Replies,
  type Site,
} from '../../support/servers/site.ts'

/** Runs with the rules of a site that has this robots.txt and counts its requests. */
async function asking(
  reply: Replies[string],
  ask: (robots: Robots, at: (path: string) => URL, site: Site) => Promise<void>,
) {
  using site = openSite({ '/robots.txt': reply, '/moved.txt': 'User-agent: *\nDisallow: /a' })
  const web = openWeb({ userAgent: 'og/test', backoffMs: 0 })
  await web.trust(site.url)
  const robots = openRobots(web, { sleep: async () => {} })
  await ask(robots, (path) => new URL(path, site.url), site)
}

test('requests robots.txt of a host once, even for concurrent calls', () =>
  asking('User-agent: *\nDisallow: /a\n', async (robots, at, site) => {
    const paths = ['/a', '/b', '/a?q', '/a/b']
    const allowed = await Promise.all(paths.map((path) => robots.isAllowed(at(path))))
    expect(allowed).toEqual([false, true, false, false])
    expect(await robots.delayMs(at('/x'))).toBe(0)
    expect(await robots.sitemaps(at('/y'))).toEqual([])
    expect(site.requests).toEqual(['GET /robots.txt'])
  }))

test('compares the query and ignores the fragment', () =>
  asking('User-agent: *\nDisallow: /*?print\n', async (robots, at) => {
    expect(await robots.isAllowed(at('/a?print=1'))).toBe(false)
    expect(await robots.isAllowed(at('/a#?print'))).toBe(true)
  }))

test('uses the rules for the name og', () =>
  asking('User-agent: og\nDisallow: /\n\nUser-agent: *\nAllow: /\n', async (robots, at) => {
    expect(await robots.isAllowed(at('/a'))).toBe(false)
  }))

test('allows every page if robots.txt is missing or forbidden', async () => {
  for (const code of [404, 403, 401, 410]) {
    const page = () => new Response('User-agent: *\nDisallow: /', { status: code })
    await asking(page, async (robots, at) => {
      expect(await robots.isAllowed(at('/a'))).toBe(true)
    })
  }
})

test('disallows every page after a server error, and gives the reason', async () => {
  for (const code of [500, 503, 429]) {
    await asking(status(code), async (robots, at) => {
      const error = await robots.isAllowed(at('/a')).catch((thrown: unknown) => thrown)
      expect(error).toBeInstanceOf(OgError)
      expect((error as OgError).message).toEndWith(`/robots.txt": server answered ${code}`)
      expect((error as OgError).hint).toContain('og fetches no page of a site')
    })
  }
})

test('follows a redirect', () =>
  asking(redirect('/moved.txt'), async (robots, at) => {
    expect(await robots.isAllowed(at('/a'))).toBe(false)
    expect(await robots.isAllowed(at('/b'))).toBe(true)
  }))

test('finds no rules in a web page', () =>
  asking(html('Welcome'), async (robots, at) => {
    expect(await robots.isAllowed(at('/a'))).toBe(true)
  }))

test('returns the delay in milliseconds, at most a minute, and 0 if it is invalid', async () => {
  for (const [said, expected] of [
    ['2', 2000],
    ['0.5', 500],
    ['3600', 60_000],
    ['0', 0],
    ['-1', 0],
    ['soon', 0],
  ] as const) {
    await asking(`User-agent: *\nCrawl-delay: ${said}\n`, async (robots, at) => {
      expect([said, await robots.delayMs(at('/'))]).toEqual([said, expected])
    })
  }
})

test('returns each absolute sitemap URL once, without invalid ones', () =>
  asking(
    'Sitemap: /a.xml\nsitemap: a.xml\nSitemap: https://x.org/b.xml\nSitemap: http://[\n',
    async (robots, at, site) => {
      expect(await robots.sitemaps(at('/docs/'))).toEqual([
        `${site.url}/a.xml`,
        'https://x.org/b.xml',
      ])
    },
  ))

test('reads the first 500 KB of a long file', async () => {
  const filler = '# a comment that is a line of 32\n'.repeat(16_000)
  expect(filler.length).toBeGreaterThan(500 * 1024)
  const most = filler.slice(0, 480 * 1024)
  const rules = `User-agent: *\n${most}\nDisallow: /a\n${filler}Disallow: /b\n`
  await asking(rules, async (robots, at) => {
    expect(await robots.isAllowed(at('/a'))).toBe(false)
    expect(await robots.isAllowed(at('/b'))).toBe(true)
  })
})
