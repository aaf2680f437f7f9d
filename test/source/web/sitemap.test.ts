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
  redirect,
  shownEvents,
  sitemapOf,
  status,
  urlset,
  type Replies,
} from '../../support/servers/site.ts'

describe('W-20 sitemaps in every form', () => {
  const one = { '/a': html('A') }

  test('reads any namespace, CDATA, relative and repeated URLs, and a leading blank line', () =>
    check(
      {
        '/sitemap.xml': `\n<?xml version="1.0"?><s:urlset xmlns:s="urn:any"><s:url>
        <s:loc><![CDATA[ /a?x=1&y=2 ]]></s:loc></s:url><s:url>
        <s:loc>a?x=1&amp;y=2#top</s:loc></s:url><s:url><image:image>
        <image:loc>/c</image:loc></image:image><s:loc>b</s:loc></s:url></s:urlset>`,
        '/a?x=1&y=2': html('A'),
        '/b': html('B'),
      },
      ['/a?x=1&y=2: A', '/b: B'],
    ))

  test('reads indexes that are nested, gzipped or cyclic', () =>
    check(
      {
        '/sitemap.xml':
          '<sitemapindex><sitemap><loc>/one.xml.gz</loc></sitemap>' +
          '<sitemap><loc>/sitemap.xml</loc></sitemap><sitemap><loc>two.xml</loc></sitemap></sitemapindex>',
        '/one.xml.gz': body(gzipSync(urlset('/a')), { 'content-type': 'application/gzip' }),
        '/two.xml':
          '<sitemapindex><sitemap><loc>three.xml</loc></sitemap>' +
          '<sitemap><loc>/one.xml.gz</loc></sitemap></sitemapindex>',
        '/three.xml': body(gzipSync(urlset('/b')), { 'content-encoding': 'gzip' }),
        '/a': html('A'),
        '/b': html('B'),
      },
      ['/a: A', '/b: B'],
    ))

  test('reads a plain list, UTF-16, or a .gz that is not compressed', async () => {
    using site = openSite({ '/sitemap.txt': () => new Response(`${site.url}/a\n`), ...one })
    const events = await readSource(sitemapOf(`${site.url}/sitemap.txt`))
    expect(shownEvents(events, site)).toEqual(['/a: A'])
    const wide = Buffer.from(`\ufeff${urlset('/a')}`, 'utf16le')
    await check({ '/sitemap.xml': body(wide, {}), ...one }, ['/a: A'])
  })

  test('reads the sitemaps listed in a robots.txt', () =>
    check(
      {
        '/sitemap.xml': redirect('/robots.txt'),
        '/robots.txt':
          'User-agent: *\nDisallow: /b\n\nsitemap: one.xml # the first\nSITEMAP:/two.xml\n',
        '/one.xml': urlset('/a'),
        '/two.xml': urlset('/b'),
        ...one,
        '/b': html('B'),
      },
      ['/a: A', '-/b: its robots.txt disallows it'],
    ))

  test('follows a redirect to a sitemap', () =>
    check({ '/sitemap.xml': redirect('/real.xml'), '/real.xml': urlset('a'), ...one }, ['/a: A']))
})

describe('rejects other files in one line', () => {
  const bad = (name: string, reply: Replies[string], reason: string) =>
    test(
      name,
      async () =>
        void (await checkError(
          { '/sitemap.xml': reply },
          `Cannot read sitemap "/sitemap.xml": ${reason}`,
        )),
    )

  bad('rejects a web page', html('Welcome'), 'it is a web page')
  bad('rejects a web page without a doctype', '<html><body>x</body></html>', 'it is a web page')
  bad('rejects an empty file', '', 'it is empty')
  bad(
    'rejects a feed',
    '<rss><channel/></rss>',
    'its root is <rss>, not <urlset> or <sitemapindex>',
  )
  bad(
    'rejects a truncated sitemap',
    '<urlset><url><loc>/a</loc></url><url><lo',
    'it ends early, after 1 addresses',
  )
  bad('rejects JSON', '{"a": 1}', 'it is neither XML nor a list of addresses')
  bad(
    'rejects an XML bomb',
    '<?xml version="1.0"?><!DOCTYPE l [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><urlset>&b;</urlset>',
    'it declares a document type, which could hold entities',
  )
  bad(
    'rejects external entities',
    '<!DOCTYPE l [<!ENTITY x SYSTEM "file:///etc/passwd">]><urlset>&x;</urlset>',
    'it declares a document type, which could hold entities',
  )
  bad('rejects endless nesting', `<urlset>${'<a>'.repeat(5000)}`, 'its elements nest over 32 deep')
  bad('rejects a 404', status(404), 'server answered 404')

  test('rejects invalid gzip', () =>
    checkError(
      { '/sitemap.xml': body('<urlset/>', { 'content-encoding': 'gzip' }) },
      'Cannot fetch "/sitemap.xml": its body is not the gzip that it says',
    ))

  test('rejects a gzip bomb, even an endless one', async () => {
    const limits = { listBytes: 2 ** 20 }
    const bomb = gzipSync(`<urlset>${' '.repeat(20 * 2 ** 20)}`)
    await checkError(
      { '/sitemap.xml': body(bomb, {}) },
      'Cannot read sitemap "/sitemap.xml": longer than 1 MB',
      { limits },
    )
    let nSent = 0
    const endless = () =>
      new Response(
        new ReadableStream({
          async pull(controller) {
            await Bun.sleep(0)
            const start = nSent++ === 0 ? '<urlset>' : ''
            controller.enqueue(Buffer.from(start + '<url><loc>/a</loc></url>'.repeat(2000)))
          },
        }),
      )
    await checkError({ '/sitemap.xml': endless }, 'Cannot fetch "/sitemap.xml": longer than 1 MB', {
      limits,
    })
    expect(nSent).toBeLessThan(1000)
  })

  test('rejects an endless chain of indexes', () => {
    let next = 0
    const index = () =>
      new Response(`<sitemapindex><sitemap><loc>/${next++}.xml</loc></sitemap></sitemapindex>`)
    const replies = new Proxy<Replies>(
      {},
      { get: (_, path) => (path === '/robots.txt' ? '' : index) },
    )
    return checkError(replies, 'Cannot read sitemap "/sitemap.xml": it leads to over 20 sitemaps', {
      limits: { maxLists: 20 },
    })
  })

  test('rejects more pages than the limit', () =>
    checkError(
      { '/sitemap.xml': urlset('/a', '/b', '/c') },
      'Cannot read sitemap "/sitemap.xml": over 2 pages in it',
      { limits: { maxPages: 2 } },
    ))

  test('rejects more URLs than the limit, in one sitemap or in all sitemaps together', async () => {
    const limits = { maxListed: 3 }
    const reason = 'over 3 addresses in it'
    await checkError(
      { '/sitemap.xml': urlset('/a', '/b', '/c', '/d') },
      `Cannot read sitemap "/sitemap.xml": ${reason}`,
      { limits },
    )
    const index = '<sitemapindex><sitemap><loc>/one.xml</loc></sitemap></sitemapindex>'
    await checkError(
      { '/sitemap.xml': index, '/one.xml': urlset('/a', '/b', '/c') },
      `Cannot read sitemap "/sitemap.xml": ${reason}`,
      { limits },
    )
    await checkError(
      { '/sitemap.xml': urlset(`/${'a'.repeat(800)}`) },
      `Cannot read sitemap "/sitemap.xml": ${reason}`,
      { limits },
    )
  })

  test('rejects an index with too many sitemaps without reading it to the end', () =>
    checkError(
      { '/sitemap.xml': `<sitemapindex>${'<sitemap><loc>/x</loc></sitemap>'.repeat(9)}` },
      'Cannot read sitemap "/sitemap.xml": it leads to over 5 sitemaps',
      { limits: { maxLists: 5 } },
    ))
})

describe('filtering the pages', () => {
  test('W-22 compares keywords and exclusions with the path, not the host', async () => {
    const replies = {
      '/sitemap.xml': urlset('/docs/a', '/blog/b', '/DOCS/old/c'),
      '/docs/a': html('A'),
    }
    await check(
      replies,
      ['-/blog/b: no filter keyword in its path', '-/DOCS/old/c: excluded by "old"', '/docs/a: A'],
      { filter: { filterKeywords: ['docs'], exclude: ['old'] } },
    )
    await check(
      replies,
      [
        '-/docs/a: no filter keyword in its path',
        '-/blog/b: no filter keyword in its path',
        '-/DOCS/old/c: no filter keyword in its path',
      ],
      { filter: { filterKeywords: ['127.0.0.1'] } },
    )
  })

  test('W-22 filters languages by hreflang, by path, and by the page itself', () =>
    check(
      {
        '/sitemap.xml':
          '<urlset xmlns:xhtml="x"><url><loc>/x</loc>' +
          '<xhtml:link rel="alternate" hreflang="de" href="/x"/></url>' +
          ['/de/a', '/pt-br/a', '/en-GB/a', '/a', '/b', '/ts/api']
            .map((loc) => `<url><loc>${loc}</loc></url>`)
            .join('') +
          '</urlset>',
        '/en-GB/a': html('British'),
        '/a': html('A', { lang: 'en' }),
        '/b': html('B', { lang: 'fr-FR' }),
        '/ts/api': html('TypeScript'),
      },
      [
        '-/x: in another language (de)',
        '-/de/a: in another language (de)',
        '-/pt-br/a: in another language (pt-br)',
        '/en-GB/a: British',
        '/a: A',
        '-/b: in another language (fr-FR)',
        '/ts/api: TypeScript',
      ],
      { filter: { languages: ['en'] } },
    ))

  test('W-22 reads one language version of a page, unless languages are requested', async () => {
    const entry = (loc: string, language: string) =>
      `<url><loc>${loc}</loc><link rel="alternate" hreflang="en" href="/guide"/>` +
      `<link rel="alternate" hreflang="de" href="/anleitung"/><x>${language}</x></url>`
    const replies = {
      '/sitemap.xml':
        '<urlset>' +
        ['/a', '/de/a', '/ja/a', '/de/nur'].map((loc) => `<url><loc>${loc}</loc></url>`).join('') +
        entry('/guide', 'en') +
        entry('/anleitung', 'de') +
        '</urlset>',
      '/a': html('A'),
      '/de/a': html('A, deutsch'),
      '/ja/a': html('A, ja'),
      '/de/nur': html('Nur'),
      '/guide': html('Guide'),
      '/anleitung': html('Anleitung'),
    }
    const left = (path: string, language: string) =>
      `-${path}: a translation; --language ${language} reads it`
    await check(replies, [
      left('/de/a', 'de'),
      left('/ja/a', 'ja'),
      left('/anleitung', 'de'),
      '/a: A',
      '/de/nur: Nur',
      '/guide: Guide',
    ])
    await check(
      replies,
      [
        '/a: A',
        '/de/a: A, deutsch',
        '/ja/a: A, ja',
        '/de/nur: Nur',
        '/guide: Guide',
        '/anleitung: Anleitung',
      ],
      { filter: { languages: ['*'] } },
    )
  })

  test('removes queries on request', () =>
    check({ '/sitemap.xml': urlset('/a?v=1', '/a?v=2'), '/a': html('A') }, ['/a: A'], {
      filter: { trimQueryParams: true },
    }))

  test('W-63 skips other sites, pictures, and private addresses', async () => {
    const others = [
      'https://example.org/a',
      'http://10.0.0.1/a',
      'ftp://x/y',
      'mailto:x',
      'http://169.254.169.254/latest/meta-data',
      'http://127.0.0.1/a',
    ]
    using site = openSite({ '/sitemap.xml': urlset(...others, '/b.png', '/a'), '/a': html('A') })
    const events = await readSource(sitemapOf(`${site.url}/sitemap.xml`))
    const host = new URL(site.url).host
    expect(shownEvents(events, site)).toEqual([
      ...others.map((url) => `-${url}: not on ${host}`),
      '-/b.png: a .png file',
      '/a: A',
    ])
  })
})

describe('redirects and canonical URLs', () => {
  test('W-63 follows no redirect or canonical URL to a private address or another site', async () => {
    const lookup = async () => ['10.1.2.3']
    const { site } = await check(
      {
        '/sitemap.xml': urlset('/a', '/b', '/c', '/d'),
        '/a': redirect('http://169.254.169.254/latest/meta-data/'),
        '/b': redirect('http://internal.example.org/'),
        '/c': redirect('file:///etc/passwd'),
        '/d': html('D'),
      },
      [
        '-/a: it leads to http://169.254.169.254/latest/meta-data/, which is not read',
        '-/b: it leads to http://internal.example.org/, which is not read',
        '!/c: it redirects to file:',
        '/d: D',
      ],
      { lookup },
    )
    expect(pagesOf(site)).toHaveLength(4)
  })

  test('reports redirects in a circle as a failure', () =>
    check({ '/sitemap.xml': urlset('/a'), '/a': redirect('/b'), '/b': redirect('/a') }, [
      '!/a: it redirects in a circle',
    ]))

  test('yields a page only once', () => {
    const canonical = (href: string) => ({ head: `<link rel="canonical" href="${href}">` })
    return check(
      {
        '/sitemap.xml': urlset(
          '/old',
          '/new',
          '/new/index.html',
          '/gone',
          '/gone2',
          '/home',
          '/p?s=1',
          '/p?s=2',
          '/x/e',
          '/y/e',
        ),
        '/old': redirect('/new'),
        '/new': html('New', canonical('/new')),
        '/new/index.html': html('New', canonical('/new')),
        '/gone': redirect('/start'),
        '/gone2': redirect('/start'),
        '/start': html('Start'),
        '/home': html('Not the home', canonical('/')),
        '/p?s=1': html('P', canonical('/p')),
        '/p?s=2': html('P', canonical('/p')),
        '/x/e': html('E', canonical('/y/e')),
        '/y/e': html('E', canonical('/x/e')),
      },
      [
        '-/old: it is the page at /new',
        '/new: New',
        '-/new/index.html: it is the page at /new',
        '/start: Start',
        '-/gone2: it is the page at /start, which was already read',
        '/home: Not the home',
        '/p: P',
        '-/p?s=2: it is the page at /p, which was already read',
        '-/x/e: it is the page at /y/e',
        '/y/e: E',
      ],
    )
  })

  test('skips a page that only redirects', () =>
    check(
      {
        '/sitemap.xml': urlset('/a'),
        '/a': html('Moved', { head: '<meta http-equiv="refresh" content="0; url=/b">' }),
      },
      ['-/a: it only redirects to /b'],
    ))
})
