import { expect, test } from 'bun:test'
import { teaEpub } from '../../support/pages/epub.ts'
import { pdfOf } from '../../support/pages/pdf.ts'
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

test('reads a PDF, and all chapters of an EPUB, which stay if nothing changes', async () => {
  const pdf = pdfOf([[{ text: 'Heat the water', y: 50 }]], { title: 'Tea' })
  const tagged = (bytes: Uint8Array, type: string) => (request: Request) =>
    request.headers.get('if-none-match') === '"b"'
      ? new Response(null, { status: 304 })
      : new Response(bytes, { headers: { 'content-type': type, etag: '"b"' } })
  using site = openSite({
    '/tea.pdf': tagged(pdf, 'application/pdf'),
    '/old': redirect('/tea.epub'),
    '/tea.epub': tagged(teaEpub, 'application/epub+zip'),
    '/broken.pdf': () =>
      new Response('%PDF-1.7', { headers: { 'content-type': 'application/pdf' } }),
  })
  const read = (path: string, before?: Map<string, string>) => {
    const source = { kind: 'web_page' as const, url: site.url + path }
    return readSource(source, before ? { before } : {})
  }
  expect(shownEvents(await read('/tea.pdf'), site)).toEqual(['/tea.pdf: Tea'])
  const chapters = await read('/old')
  expect(shownEvents(chapters, site)).toEqual([
    '/tea.epub: Tea & Cups',
    '/tea.epub#a%2520b.xhtml: Boiling',
  ])
  expect(shownEvents(await read('/old', knownBy(chapters)), site)).toEqual([
    '=/tea.epub',
    '=/tea.epub#a%2520b.xhtml',
  ])
  const [broken] = shownEvents(await read('/broken.pdf'), site)
  expect(broken).toStartWith('!/broken.pdf: the PDF is damaged')
})
