import { expect, test } from 'bun:test'
import {
  html,
  knownBy,
  openSite,
  readSource,
  redirect,
  shownEvents,
  type Replies,
} from '../../support/servers/site.ts'

async function check(replies: Replies, expected: string[]) {
  using site = openSite(replies)
  const events = await readSource({ kind: 'web_page', url: `${site.url}/a#part` })
  expect(shownEvents(events, site)).toEqual(expected)
  return site
}

test('reads a page that a person entered, without requesting robots.txt', async () => {
  const site = await check({ '/a': html('A'), '/robots.txt': 'User-agent: *\nDisallow: /' }, [
    '/a: A',
  ])
  expect(site.requests).toContain('GET /a')
})

test('uses the URL after redirects', () =>
  check({ '/a': redirect('/b/'), '/b/': html('B') }, ['/b/: B']))

test("reads the page's Markdown if there is any", () =>
  check({ '/a': html('A'), '/a.md': '# A of Markdown\n' }, ['/a: A of Markdown']))

test('W-63 does not follow a redirect into a private network', () =>
  check({ '/a': redirect('http://10.0.0.1/b') }, ['!/a: the address is of a private network']))

test('skips another file type and a missing page', async () => {
  await check({ '/a': () => Response.json({}) }, [
    '-/a: its content type is application/json;charset=utf-8',
  ])
  await check({}, ['-/a: server answered 404'])
})

test('detects an unchanged page by ETag, even after a redirect', async () => {
  const tagged = (request: Request) =>
    request.headers.get('if-none-match') === '"b"'
      ? new Response(null, { status: 304 })
      : new Response(html('B'), { headers: { 'content-type': 'text/html', etag: '"b"' } })
  using site = openSite({ '/a': redirect('/b'), '/b': tagged })
  const source = { kind: 'web_page' as const, url: `${site.url}/a` }
  const known = knownBy(await readSource(source))
  expect(shownEvents(await readSource(source, { before: known }), site)).toEqual(['=/b'])
})
