import { expect, test, describe } from 'bun:test'
import { unreachableGap, chooseSource } from '../../../src/source/choice/choice.ts'
import { chooseForSite } from '../../../src/source/choice/site-choice.ts'
import { detectSource } from '../../../src/source/detect.ts'
import {
  html,
  openSite,
  redirect,
  status,
  urlset,
  type Replies,
} from '../../support/servers/site.ts'

test('records the host and the intended source of a gap', () => {
  const intended = { kind: 'package', url: 'npm:heron', version: '1.2.0' } as const
  expect(unreachableGap('git.example', intended)).toEqual({
    reason: 'cannot reach git.example',
    host: 'git.example',
    intended,
  })
})

const page = (title: string, ...links: string[]) =>
  html(title, { body: links.map((link) => `<a href="${link}">${link}</a>`).join('') })
const home = { '/': page('Home', '/a') }
const llms = '# X\n\n- [A](/a)\n- [B](/b)\n'
const full = '# A\n\nText of A.\n\n# B\n\nText of B.\n'

type Expected = { kind: string; url: string; below?: string; found?: string; passed?: string[] }

async function check(replies: Replies, expected: Expected, path = '/') {
  using site = openSite(replies)
  const { source } = detectSource(site.url + path, { docsPaths: [], cwd: '/', home: '/' })
  const options = {
    version: null,
    sleep: async () => {},
    surroundings: { env: {}, home: '/', cwd: '/' },
  }
  const { how: found, rejected: passed, source: chosen } = await chooseSource(source, options)
  const plain = (text: string) => text.replaceAll(site.url, '')
  const { kind, url, below } = chosen as { kind: string; url: string; below?: string }
  const shown = {
    kind,
    url: plain(url),
    below,
    found: plain(found!),
    passed: passed.map((it) => plain(`${it.place}: ${it.reason}`)),
  }
  expect(shown).toMatchObject(expected)
  expect(shown.below).toBe(expected.below)
}

describe('choosing the list of a site', () => {
  test('uses the sitemap in its robots.txt', () =>
    check(
      {
        ...home,
        '/robots.txt': 'User-agent: *\nDisallow: /x\n\nSitemap: /maps/en.xml',
        '/maps/en.xml': urlset('/a', '/b'),
        '/sitemap.xml': urlset('/c', '/d', '/e'),
      },
      {
        kind: 'sitemap',
        url: '/maps/en.xml',
        passed: [],
        found: 'sitemap /maps/en.xml (2 pages), which its robots.txt names',
      },
    ))

  test('uses all of several sitemaps in its robots.txt', () =>
    check(
      {
        ...home,
        '/robots.txt': 'Sitemap: /1.xml\nSitemap: /2.xml',
        '/1.xml': urlset('/a'),
        '/2.xml': urlset('/b'),
      },
      { kind: 'sitemap', url: '/robots.txt', found: '2 sitemaps of /robots.txt (2 pages)' },
    ))

  test('uses sitemap.xml, then sitemap_index.xml', async () => {
    await check(
      { ...home, '/sitemap.xml': urlset('/a', '/b'), '/llms.txt': llms },
      { kind: 'sitemap', url: '/sitemap.xml', found: 'sitemap /sitemap.xml (2 pages)' },
    )
    await check(
      {
        ...home,
        '/sitemap_index.xml': '<sitemapindex><sitemap><loc>/1.xml</loc></sitemap></sitemapindex>',
        '/1.xml': urlset('/a', '/b'),
      },
      { kind: 'sitemap', url: '/sitemap_index.xml', passed: ['/sitemap.xml: server answered 404'] },
    )
  })

  test('uses llms-full.txt, then llms.txt', async () => {
    await check(
      { ...home, '/llms.txt': llms, '/llms-full.txt': full },
      { kind: 'llms_txt', url: '/llms-full.txt', found: 'llms-full.txt /llms-full.txt (2 pages)' },
    )
    await check(
      { ...home, '/llms.txt': llms },
      { kind: 'llms_txt', url: '/llms.txt', found: 'llms.txt /llms.txt (2 pages)' },
    )
  })

  test('follows links if there is no list', () =>
    check(home, {
      kind: 'site',
      url: '/',
      found:
        'links from / on, at most 2000 pages below it; the site has no sitemap, llms-full.txt ' +
        'or llms.txt that could be used',
    }))
})

describe('rejects lists with a reason', () => {
  test('rejects a catch-all page, a list of one page, and a server error', () =>
    check(
      {
        ...home,
        '/sitemap.xml': html('Welcome'),
        '/sitemap_index.xml': urlset('/a'),
        '/llms-full.txt': status(500),
        '/llms.txt': html('Welcome'),
      },
      {
        kind: 'site',
        url: '/',
        passed: [
          '/sitemap.xml: it is a web page',
          '/sitemap_index.xml: only one page in it',
          '/llms-full.txt: server answered 500',
          '/llms.txt: it is a web page',
        ],
      },
    ))

  test('rejects pages on other hosts and private networks', () =>
    check(
      {
        ...home,
        '/robots.txt': 'Sitemap: http://10.0.0.1/s.xml',
        '/sitemap.xml': urlset('http://other.example/a', 'http://other.example/b'),
      },
      {
        kind: 'site',
        url: '/',
        passed: [
          'http://10.0.0.1/s.xml: the address is of a private network',
          '/sitemap.xml: none of its pages is selected',
          ...['/sitemap_index.xml', '/llms-full.txt', '/llms.txt'].map(
            (it) => `${it}: server answered 404`,
          ),
        ],
      },
    ))
})

describe('choosing the list of a part of a site', () => {
  const docs = { '/docs/': page('Docs', '/docs/a') }

  test('filters the list of the whole site by path', () =>
    check(
      { ...docs, '/sitemap.xml': urlset('/docs/a', '/docs/b', '/blog/c', '/docs-old/d') },
      {
        kind: 'sitemap',
        url: '/sitemap.xml',
        below: '/docs/',
        found: 'sitemap /sitemap.xml (2 pages)',
      },
      '/docs/',
    ))

  test('prefers the list in the folder of the part', () =>
    check(
      {
        ...docs,
        '/docs/sitemap.xml': urlset('/docs/a', '/docs/b'),
        '/sitemap.xml': urlset('/docs/a', '/docs/z'),
      },
      { kind: 'sitemap', url: '/docs/sitemap.xml', below: '/docs/' },
      '/docs/index.html',
    ))

  test('follows links if no list has pages below the path', () =>
    check(
      { ...docs, '/sitemap.xml': urlset('/blog/c') },
      { kind: 'site', url: '/docs/', below: '/docs/' },
      '/docs/',
    ))
})

test('uses the target of a redirect', async () => {
  await check(
    { '/old': redirect('/new/intro.html'), '/new/intro.html': page('New') },
    { kind: 'site', url: '/new/', below: '/new/' },
    '/old',
  )
  await check(
    { '/': redirect('/en/latest/'), '/en/latest/': page('Home') },
    { kind: 'site', url: '/' },
  )
})

test('reads a text file on a site as one page', () =>
  check(
    { '/notes': () => new Response('All of it.', { headers: { 'content-type': 'text/plain' } }) },
    { kind: 'web_page', url: '/notes', found: 'one page' },
    '/notes',
  ))

test('fails if a list exceeds a limit', async () => {
  using site = openSite({ ...home, '/sitemap.xml': urlset('/a', '/b', '/c') })
  const filter = { filterKeywords: [], exclude: [], languages: [], trimQueryParams: false }
  const source = { kind: 'site' as const, url: site.url, ...filter }
  await expect(chooseForSite(source, { limits: { maxPages: 2 } })).rejects.toThrow(
    /over 2 pages in it/,
  )
})
