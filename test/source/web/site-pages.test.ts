import { describe, expect, test } from 'bun:test'
import type { SitemapFilter } from '../../../src/store/source.ts'
import {
  html,
  knownBy,
  openSite,
  readSource,
  redirect,
  shownEvents,
  status,
  type ReadOptions,
  type Replies,
} from '../../support/servers/site.ts'

const noFilter: SitemapFilter = {
  filterKeywords: [],
  exclude: [],
  languages: [],
  trimQueryParams: false,
}

type Options = ReadOptions & { start?: string; filter?: Partial<SitemapFilter> }

async function check(replies: Replies, expected: string[], options: Options = {}) {
  const { start = '/', filter, ...reading } = options
  using site = openSite(replies)
  const source = { kind: 'site' as const, url: site.url + start, ...noFilter, ...filter }
  const events = await readSource(source, reading)
  expect(shownEvents(events, site)).toEqual(expected)
  return { requests: site.requests, source, events }
}

const page = (title: string, ...links: string[]) =>
  html(title, { body: links.map((link) => `<a class="x" href="${link}">to ${link}</a>`).join(' ') })

describe('following links', () => {
  test('reads each page of the site once, in the order of the links', async () => {
    const { requests } = await check(
      {
        '/': page(
          'Home',
          '/b',
          'a#part',
          'https://other.example/',
          '/b',
          'mailto:x@y.z',
          '/pic.png',
        ),
        '/a': page('A', '/', '/c'),
        '/b': page('B', 'c', '/b?page=2'),
        '/c': page('C'),
      },
      ['/: Home', '-/pic.png: a .png file', '/b: B', '/a: A', '/c: C'],
    )
    expect(requests.filter((it) => /GET \/\w?$/.test(it))).toHaveLength(4)
  })

  test('skips pages with noindex, unless the first page has it, and error pages with status 200', async () => {
    const noindex = { head: '<meta name="robots" content="noindex, follow">' }
    const error = html('404 - Page not found', { body: 'Sorry, the page does not exist.' })
    const pages = { '/b': html('B', noindex), '/c': error, '/d': html('Not found handlers') }
    await check({ '/': page('Home', '/b', '/c', '/d'), ...pages }, [
      '/: Home',
      '-/b: its robots tag says noindex',
      '-/c: its title says that the server has no such page',
      '/d: Not found handlers',
    ])
    const tagged = () =>
      new Response(page('Tag'), {
        headers: { 'content-type': 'text/html', 'x-robots-tag': 'none' },
      })
    const gone = html('Oops! This page could not be found', { body: 'Sorry.' })
    await check({ '/': page('Home', '/e', '/f'), '/e': tagged, '/f': gone }, [
      '/: Home',
      '-/e: its robots tag says noindex',
      '-/f: its title says that the server has no such page',
    ])
    const home = html('Home', { ...noindex, body: '<a href="/b">b</a>' })
    await check({ '/': home, ...pages }, ['/: Home', '/b: B'])
  })

  test('stays below the path, applies the base URL, and ignores nofollow links', () =>
    check(
      {
        '/docs/': html('Docs', {
          head: '<base href="/docs/en/">',
          body: '<a href=one>1</a><a rel="nofollow" href="two">2</a><a href="/blog">3</a>',
        }),
        '/docs/en/one': page('One', '/docs', '/docs-old/x'),
      },
      ['/docs/: Docs', '/docs/en/one: One', '-/docs: server answered 404'],
      { start: '/docs/' },
    ))

  test('finds the links in Markdown pages', () =>
    check(
      {
        '/': () =>
          new Response('# Home\n\nSee [A](a.md) and ![x](/x.svg).\n', {
            headers: { 'content-type': 'text/markdown' },
          }),
        '/a.md': '# A of Markdown\n',
      },
      ['/: Home', '/a.md: A of Markdown'],
    ))

  test('finds links in pages of any charset', async () => {
    const sent = (bytes: Buffer, type: string) => () =>
      new Response(bytes as Uint8Array<ArrayBuffer>, { headers: { 'content-type': type } })
    await check(
      {
        '/': sent(Buffer.from(page('Home', '/café'), 'latin1'), 'text/html; charset=iso-8859-1'),
        '/caf%C3%A9': sent(Buffer.from(`\ufeff${page('Café', '/thé')}`, 'utf16le'), 'text/html'),
        '/th%C3%A9': html('Thé', { head: '<link rel=canonical href="/thé/">' }),
      },
      ['/: Home', '/caf%C3%A9: Café', '/th%C3%A9/: Thé'],
    )
  })

  test('reads a page with a redirect and a canonical URL only once', () =>
    check(
      {
        '/': page('Home', '/old', '/new', '/deep/'),
        '/old': redirect('/new'),
        '/new': page('New'),
        '/deep/': html('Deep', { head: '<link rel=canonical href="/deep">' }),
      },
      ['/: Home', '-/old: it is the page at /new', '/new: New', '/deep: Deep'],
    ))

  test('obeys robots.txt', () =>
    check(
      {
        '/robots.txt': 'User-agent: *\nDisallow: /secret',
        '/': page('Home', '/secret/a', '/a'),
        '/a': page('A'),
      },
      ['/: Home', '-/secret/a: its robots.txt disallows it', '/a: A'],
    ))

  test('W-63 does not enter a private network', () =>
    check({ '/': page('Home', '/a', 'http://10.0.0.1/'), '/a': redirect('http://10.0.0.1/') }, [
      '/: Home',
      '-/a: it leads to http://10.0.0.1/, which is not read',
    ]))
})

describe('filtering the pages found', () => {
  const guide = {
    '/': page('Home', '/guide/a', '/blog/b', '/de/guide/a'),
    '/guide/a': page('A'),
    '/blog/b': page('B', '/guide/c'),
    '/guide/c': page('C'),
    '/de/guide/a': page('DE'),
  }

  test('skips translations', () =>
    check(guide, [
      '/: Home',
      '-/de/guide/a: a translation; --language de reads it',
      '/guide/a: A',
      '/blog/b: B',
      '/guide/c: C',
    ]))

  test('reads a page without the keyword only for its links', () =>
    check(
      guide,
      [
        '-/: no filter keyword in its path',
        '-/de/guide/a: a translation; --language de reads it',
        '/guide/a: A',
        '-/blog/b: no filter keyword in its path',
        '/guide/c: C',
      ],
      { filter: { filterKeywords: ['guide'] } },
    ))

  test('does not follow links of an excluded page', () =>
    check(
      guide,
      [
        '/: Home',
        '-/blog/b: excluded by "blog"',
        '-/de/guide/a: excluded by "/de/"',
        '/guide/a: A',
      ],
      { filter: { exclude: ['blog', '/de/'] } },
    ))

  test('reads up to the limit, and reports the rest', () =>
    check(
      { '/': page('Home', '/a', '/b', '/c'), '/a': page('A'), '/b': page('B') },
      [
        '/: Home',
        '-/b: beyond 2 pages, the most that links are followed to',
        '-/c: beyond 2 pages, the most that links are followed to',
        '/a: A',
      ],
      { limits: { maxFollowed: 2 } },
    ))
})

test('reports changed pages, and the other pages as unchanged, on the next run', async () => {
  let isNew = false
  const replies: Replies = {
    '/': () =>
      new Response(page('Home', '/a', ...(isNew ? ['/b'] : [])), {
        headers: { 'content-type': 'text/html', etag: isNew ? '"2"' : '"1"' },
      }),
    '/a': page('A', '/c'),
    '/b': page('B'),
    '/c': page('C'),
  }
  using site = openSite(replies)
  const source = { kind: 'site' as const, url: `${site.url}/`, ...noFilter }
  const first = await readSource(source)
  expect(shownEvents(first, site)).toEqual(['/: Home', '/a: A', '/c: C'])
  isNew = true
  const known = knownBy(first)
  expect(shownEvents(await readSource(source, { before: known }), site)).toEqual([
    '/: Home',
    '=/a',
    '/b: B',
    '=/c',
  ])
})

test('keeps the text of pages that only a failing page links to', async () => {
  let isDown = false
  const replies: Replies = {
    '/': page('Home', '/a'),
    '/b': page('B'),
    '/a': (request) =>
      isDown
        ? (status(500) as (it: Request) => Response)(request)
        : new Response(page('A', '/b'), { headers: { 'content-type': 'text/html' } }),
  }
  using site = openSite(replies)
  const source = { kind: 'site' as const, url: `${site.url}/`, ...noFilter }
  const known = knownBy(await readSource(source))
  isDown = true
  expect(shownEvents(await readSource(source, { before: known }), site)).toEqual([
    '=/',
    '!/a: server answered 500',
    '!/b: a page that may link to it could not be read',
  ])
})
