import { describe, expect, test } from 'bun:test'
import {
  html,
  knownBy,
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

describe('W-10 W-57 known pages', () => {
  const tagged = (title: string, tag: string) => (request: Request) =>
    request.headers.get('if-none-match') === tag
      ? new Response(null, { status: 304 })
      : new Response(html(title), { headers: { 'content-type': 'text/html', etag: tag } })

  test('requests known pages with ETag and date, or not at all if lastmod is unchanged', async () => {
    const dated = new Date(0).toUTCString()
    const replies: Replies = {
      '/sitemap.xml':
        `<urlset><url><loc>/a</loc><lastmod>2020-01-02</lastmod></url>` +
        `${['/b', '/c', '/d', '/old'].map((loc) => `<url><loc>${loc}</loc></url>`).join('')}</urlset>`,
      '/a': html('A'),
      '/b': tagged('B', '"b"'),
      '/c': (request) =>
        request.headers.get('if-modified-since') === dated
          ? new Response(null, { status: 304 })
          : new Response(html('C'), {
              headers: { 'content-type': 'text/html', 'last-modified': dated },
            }),
      '/d': html('D'),
      '/old': redirect('/new'),
      '/new': tagged('New', '"n"'),
    }
    using site = openSite(replies)
    const source = sitemapOf(`${site.url}/sitemap.xml`)
    const first = await readSource(source)
    expect(shownEvents(first, site)).toEqual(['/a: A', '/b: B', '/c: C', '/d: D', '/new: New'])
    site.requests.length = 0
    const second = await readSource(source, { before: knownBy(first) })
    expect(shownEvents(second, site)).toEqual(['=/a', '=/b', '=/c', '=/d', '=/new'])
    expect(site.requests).toEqual([
      'GET /sitemap.xml',
      'GET /robots.txt',
      'GET /b',
      'GET /c',
      'GET /d',
      'GET /old',
      'GET /new',
    ])
    expect(knownBy(second)).toEqual(knownBy(first))
    replies['/b'] = tagged('B two', '"b2"')
    replies['/d'] = status(500)
    const third = await readSource(source, { before: knownBy(second) })
    expect(shownEvents(third, site)).toEqual([
      '=/a',
      '/b: B two',
      '=/c',
      '!/d: server answered 500',
      '=/new',
    ])
  })

  test('skips known pages whose recorded language is not requested now', async () => {
    using site = openSite({
      '/sitemap.xml': urlset('/a', '/b'),
      '/a': html('A', { lang: 'en' }),
      '/b': html('B', { lang: 'fr' }),
    })
    const url = `${site.url}/sitemap.xml`
    const known = knownBy(await readSource(sitemapOf(url)))
    const events = await readSource(sitemapOf(url, { languages: ['en'] }), { before: known })
    expect(shownEvents(events, site)).toEqual(['=/a', '-/b: in another language (fr)'])
  })

  test('requests known pages if lastmod is today', async () => {
    const today = new Date().toISOString().slice(0, 10)
    using site = openSite({
      '/sitemap.xml': `<urlset><url><loc>/a</loc><lastmod>${today}</lastmod></url></urlset>`,
      '/a': html('A'),
    })
    const source = sitemapOf(`${site.url}/sitemap.xml`)
    const first = await readSource(source)
    site.requests.length = 0
    await readSource(source, { before: knownBy(first) })
    expect(pagesOf(site)).toEqual(['GET /a'])
  })

  test("requests a known page with a Markdown twin at the twin's URL", async () => {
    using site = openSite({
      '/sitemap.xml': urlset('/a'),
      '/a': html('A'),
      '/a.md': (request) =>
        request.headers.get('if-none-match') === '"m"'
          ? new Response(null, { status: 304 })
          : new Response('# A\n', { headers: { 'content-type': 'text/markdown', etag: '"m"' } }),
    })
    const source = sitemapOf(`${site.url}/sitemap.xml`)
    const first = await readSource(source)
    site.requests.length = 0
    const second = await readSource(source, { before: knownBy(first) })
    expect(shownEvents(second, site)).toEqual(['=/a'])
    expect(site.requests).toEqual(['GET /sitemap.xml', 'GET /robots.txt', 'GET /a.md'])
  })

  test('keeps known pages and reports them as failed if their sitemap cannot be read', async () => {
    const index =
      '<sitemapindex><sitemap><loc>/one.xml</loc></sitemap>' +
      '<sitemap><loc>/two.xml</loc></sitemap></sitemapindex>'
    const replies: Replies = {
      '/sitemap.xml': index,
      '/one.xml': urlset('/a'),
      '/two.xml': urlset('/b'),
      '/a': html('A'),
      '/b': html('B'),
    }
    using site = openSite(replies)
    const source = sitemapOf(`${site.url}/sitemap.xml`)
    const known = knownBy(await readSource(source))
    replies['/two.xml'] = status(500)
    expect(shownEvents(await readSource(source, { before: known }), site)).toEqual([
      '!/two.xml: server answered 500',
      '=/a',
      '!/b: the sitemap /two.xml could not be read',
    ])
  })
})

test('sends a name and password only to their own host, and stores them in no URL', async () => {
  using site = openSite({ '/sitemap.xml': urlset('/a'), '/a': html('A') })
  const source = sitemapOf(site.url.replace('//', '//me:pw@') + '/sitemap.xml')
  expect(shownEvents(await readSource(source), site)).toEqual(['/a: A'])
  expect(site.headers.get('/a')!.get('authorization')).toBe(`Basic ${btoa('me:pw')}`)
})
