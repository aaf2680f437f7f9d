import { describe, expect, test } from 'bun:test'
import { gzipSync } from 'node:zlib'
import {
  body,
  checkSitemap as check,
  checkSitemapError as checkError,
  html,
  openSite,
  pagesOf,
  readSource,
  shownEvents,
  sitemapOf,
  status,
  urlset,
  type Replies,
} from '../../support/servers/site.ts'
import { serveLocal } from '../../support/servers/serve-local.ts'

describe('W-26 politeness', () => {
  test('reads robots.txt once, and obeys the group for og', async () => {
    const { site } = await check(
      {
        '/sitemap.xml': urlset('/a', '/b', '/c'),
        '/robots.txt':
          'User-agent: *\nDisallow: /\n\nUser-agent: og\nDisallow: /b\nDisallow: /*.md',
        '/a': html('A'),
        '/c': html('C'),
      },
      ['/a: A', '-/b: its robots.txt disallows it', '/c: C'],
    )
    expect(site.requests).toEqual(['GET /sitemap.xml', 'GET /robots.txt', 'GET /a', 'GET /c'])
    expect(site.headers.get('/a')!.get('user-agent')).toMatch(/^og\/\d/)
  })

  test('W-26 reads the robots.txt of every host', async () => {
    const asked: string[] = []
    using server = serveLocal((request) => {
      const { host, pathname, port } = new URL(request.url)
      asked.push(host.replace(`:${port}`, '') + pathname)
      if (pathname === '/sitemap.xml') {
        return new Response(urlset('/a', `http://api.docs.test:${port}/b`))
      }
      if (pathname !== '/robots.txt') return new Response('', { status: 404 })
      return new Response(`User-agent: *\nDisallow: ${host.startsWith('api') ? '/' : '/none'}`)
    })
    const source = sitemapOf(`http://docs.test:${server.port}/sitemap.xml`)
    const events = await readSource(source, { lookup: async () => ['127.0.0.1'] })
    expect(events.map((event) => 'reason' in event && event.reason)).toEqual([
      'server answered 404',
      'its robots.txt disallows it',
    ])
    expect(asked).toContain('docs.test/robots.txt')
    expect(asked).toContain('api.docs.test/robots.txt')
    expect(asked).not.toContain('api.docs.test/b')
  })

  test('reads no page while robots.txt is unknown', async () => {
    const replies = { '/sitemap.xml': urlset('/a'), '/robots.txt': status(503), '/a': html('A') }
    const site = await checkError(replies, 'Cannot read "/robots.txt": server answered 503')
    expect(pagesOf(site)).toEqual([])
  })

  test('obeys crawl-delay, with one request at a time', async () => {
    const waits: number[] = []
    const { site } = await check(
      {
        '/sitemap.xml': urlset('/a', '/b', '/c'),
        '/robots.txt': 'User-agent: *\nCrawl-delay: 2\nDisallow: /*.md',
        '/a': html('A'),
        '/b': html('B'),
        '/c': html('C'),
      },
      ['/a: A', '/b: B', '/c: C'],
      { sleep: async (ms) => void waits.push(ms) },
    )
    expect(waits).toEqual([2000, 2000])
    expect(site.nAtOnce).toBe(1)
  })

  test('sends as many concurrent requests as allowed', async () => {
    const locs = Array.from({ length: 30 }, (_, i) => `/p${i}`)
    let underWay = 0
    const three = Promise.withResolvers<void>()
    // The first page is requested alone. The server answers the other pages once three of them have
    // been requested.
    const slow = async () => {
      if (++underWay === 3) three.resolve()
      await Promise.race([three.promise, Bun.sleep(1000)])
      underWay--
      return new Response(html('P'), { headers: { 'content-type': 'text/html' } })
    }
    const pages = Object.fromEntries(locs.map((loc) => [loc, slow]))
    const { site } = await check(
      { '/sitemap.xml': urlset(...locs), ...pages },
      locs.map((loc) => `${loc}: P`),
      { limits: { lanes: 3 } },
    )
    expect(site.nAtOnce).toBe(3)
  })

  test('retries 429, 5xx and resets after the time in Retry-After', async () => {
    const waits: number[] = []
    let n = 0
    const later = status(429, { 'retry-after': '7' })
    const ok = () => new Response(html('A'), { headers: { 'content-type': 'text/html' } })
    await check(
      { '/sitemap.xml': urlset('/a'), '/a': () => [later, status(502), ok][n++]!() },
      ['/a: A'],
      { sleep: async (ms) => void waits.push(ms) },
    )
    expect(waits[0]).toBe(7000)
    expect(waits).toHaveLength(2)
  })

  test('stops at a host that asks for a long pause', async () => {
    const { site } = await check(
      {
        '/sitemap.xml': urlset('/a', '/b', '/c'),
        '/a': status(429, { 'retry-after': '86400' }),
        '/b': html('B'),
        '/c': html('C'),
      },
      [
        '!/a: server answered 429',
        ...['/b', '/c'].map(
          (path) =>
            `!${path}: not asked: server answered 429 and asks to ` +
            'retry later (Retry-After: 86400)',
        ),
      ],
      { limits: { lanes: 1 } },
    )
    expect(pagesOf(site)).toEqual(['GET /a'])
  })

  test('a short Retry-After fails only its page', () =>
    check(
      {
        '/sitemap.xml': urlset('/a', '/b'),
        '/a': status(503, { 'retry-after': '1' }),
        '/b': html('B'),
      },
      ['!/a: server answered 503', '/b: B'],
    ))

  test('stops at a host that fails repeatedly', async () => {
    const locs = Array.from({ length: 26 }, (_, i) => `/${String.fromCharCode(97 + i)}`)
    using site = openSite({
      '/sitemap.xml': urlset(...locs),
      ...Object.fromEntries(locs.map((loc) => [loc, status(500)])),
    })
    const events = await readSource(sitemapOf(`${site.url}/sitemap.xml`), { limits: { lanes: 1 } })
    expect(shownEvents(events, site)[9]).toBe('!/j: server answered 500')
    expect(shownEvents(events, site)[10]).toMatch(
      /^!\/k: not asked: 10 failures in a row, at last: /,
    )
    expect(new Set(pagesOf(site)).size).toBe(10)
  })
})

describe('misbehaving servers', () => {
  // Only the time limit under test is short, but it is long enough for the other page.
  const alone = (name: string, reply: Replies[string], told: string | [string, object]) =>
    test(name, async () => {
      const [reason, times] = typeof told === 'string' ? [told, {}] : told
      const { silenceMs, ...page } = { silenceMs: 60_000, pageTimeoutMs: 60_000, ...times }
      const limits = { pageBytes: 100_000, ...page }
      await check(
        { '/sitemap.xml': urlset('/a', '/b'), '/a': reply, '/b': html('B') },
        [`!/a: ${reason}`, '/b: B'],
        { limits, silenceMs, backoffMs: 1 },
      )
    })
  const dripping = (piece: Uint8Array, everyMs: number) => () =>
    new Response(
      new ReadableStream({
        async pull(controller) {
          await Bun.sleep(everyMs)
          controller.enqueue(piece)
        },
      }),
      { headers: { 'content-type': 'text/html' } },
    )

  alone('fails a page that arrives a byte at a time', dripping(Buffer.from('x'), 15), [
    'not whole after 2 s',
    { pageTimeoutMs: 2000 },
  ])
  alone(
    'fails a page of 5 GB',
    dripping(Buffer.alloc(65_536, 'x'), 0),
    'longer than 0.095367431640625 MB',
  )
  alone('fails a page without an answer', () => new Promise<Response>(() => {}), [
    'no answer within 2 s',
    { silenceMs: 2000 },
  ])
  alone(
    'fails a page with invalid gzip',
    body('plain', { 'content-encoding': 'gzip', 'content-type': 'text/html' }),
    'its body is not the gzip that it says',
  )
  alone(
    'fails a gzip bomb',
    body(gzipSync(Buffer.alloc(10 ** 7)), { 'content-encoding': 'gzip' }),
    'longer than 0.095367431640625 MB',
  )
  alone(
    'fails a page with an unknown encoding',
    body('x', { 'content-encoding': 'rot13' }),
    'its encoding "rot13" is not known',
  )
  alone('fails a page behind a login', status(403), 'server answered 403')

  test('skips files that are not pages, and deleted pages', () =>
    check(
      {
        '/sitemap.xml': urlset('/a', '/b', '/c', '/d'),
        '/a': body('x', { 'content-type': 'image/png' }),
        '/b': status(404),
        '/c': status(410),
        '/d': body(`<html>${html('D')}`, { 'content-type': 'application/octet-stream' }),
      },
      [
        '-/a: its content type is image/png',
        '-/b: server answered 404',
        '-/c: server answered 410',
        '/d: D',
      ],
    ))

  test('reports pages that need JavaScript, with the reason', async () => {
    const app = '<html><body><div id="root"></div><script src="/app.js"></script></body></html>'
    await check(
      {
        '/sitemap.xml': urlset('/a', '/b'),
        '/a': app,
        '/b': '<html><body><app-root>Loading…</app-root></body></html>',
      },
      [
        '!/a: its content is made by JavaScript, which og does not run ' +
          '(it has an empty application root)',
        '!/b: its content is made by JavaScript, which og does not run ' +
          '(it has an application element)',
      ],
    )
  })

  test('stops at the time limit of the source', () =>
    check(
      { '/sitemap.xml': urlset('/a'), '/a': html('A') },
      ['!/a: not fetched: the time limit for the source was reached'],
      { limits: { totalMs: -1 } },
    ))

  test('stops on an abort', async () => {
    using site = openSite({ '/sitemap.xml': urlset('/a'), '/a': () => new Promise(() => {}) })
    const stopped = new Error('stopped')
    const controller = new AbortController()
    setTimeout(() => controller.abort(stopped), 50)
    const reading = readSource(sitemapOf(`${site.url}/sitemap.xml`), { signal: controller.signal })
    await expect(reading).rejects.toBe(stopped)
  })
})

describe('charsets', () => {
  const text = (name: string, bytes: Uint8Array, type: string, expected: string) =>
    test(name, async () => {
      const { events } = await check(
        { '/sitemap.xml': urlset('/a'), '/a': body(bytes, { 'content-type': type }) },
        [`/a: ${expected}`],
      )
      expect(events).toHaveLength(1)
    })
  const latin = (page: string) => Buffer.from(page, 'latin1')

  text('decodes by the header', latin(html('Café')), 'text/html; charset=iso-8859-1', 'Café')
  text(
    'decodes by the page',
    latin(html('Café', { head: '<meta charset="windows-1252">' })),
    'text/html',
    'Café',
  )
  text('decodes if the header is wrong', latin(html('Café')), 'text/html; charset=utf-8', 'Café')
  text(
    'decodes if the header is unknown',
    Buffer.from(html('Café')),
    'text/html; charset=martian',
    'Café',
  )
  text(
    'decodes UTF-16 with a byte order mark',
    Buffer.from(`\ufeff${html('Café')}`, 'utf16le'),
    'text/html',
    'Café',
  )
})

describe('Markdown instead of HTML', () => {
  const md = (text: string) => body(text, { 'content-type': 'text/markdown' })

  test('reads Markdown that the server sends for the same URL', async () => {
    const { site, events } = await check(
      {
        '/sitemap.xml': urlset('/a'),
        '/a': (request) =>
          request.headers.get('accept')!.includes('text/markdown')
            ? md('# From Markdown\n\nIt is.')()
            : new Response(html('A')),
      },
      ['/a: From Markdown'],
    )
    expect(events[0]).toMatchObject({ page: { path: 'a.md' } })
    expect(site.requests.at(-1)).toBe('GET /a')
  })

  test('reads the .md twin of every page that has one', async () => {
    const { site } = await check(
      {
        '/sitemap.xml': urlset('/', '/a', '/b/', '/c'),
        '/': html('Home'),
        '/a': html('A'),
        '/b/': html('B'),
        '/c': html('C'),
        '/a.md': '# A of Markdown\n',
        '/b.md': '# B of Markdown\n',
      },
      ['/: Home', '/a: A of Markdown', '/b/: B of Markdown', '/c: C'],
    )
    expect(pagesOf(site)).toEqual(['GET /c'])
  })

  test('reads the Markdown to which a page links', () =>
    check(
      {
        '/sitemap.xml': urlset('/a'),
        '/raw/a.txt': '# A of Markdown\n',
        '/a': html('A', { head: '<link rel="alternate" type="text/markdown" href="/raw/a.txt">' }),
      },
      ['/a: A of Markdown'],
    ))

  test('resolves the links in Markdown against its own URL', async () => {
    const { site, events } = await check(
      {
        '/sitemap.xml': urlset('/a/'),
        '/a/': html('A'),
        '/a.md': '# A of Markdown\n\nSee [b](b.md), [c](/c/) and [below](#d).\n',
      },
      ['/a/: A of Markdown'],
    )
    expect(events).toMatchObject([
      {
        page: {
          text:
            '# A of Markdown\n\nSee ' +
            `[b](${site.url}/b.md), [c](${site.url}/c/) and [below](${site.url}/a/#d).\n`,
        },
      },
    ])
  })

  test('ignores Markdown if all answers are equal', () =>
    check(
      {
        '/sitemap.xml': urlset('/a', '/b'),
        '/a': html('A'),
        '/b': html('B'),
        '/a.md': 'Page not found',
        '/b.md': 'Page not found',
      },
      ['/a: A', '/b: B'],
    ))
})
