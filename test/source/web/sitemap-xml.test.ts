import { expect, test } from 'bun:test'
import { OgError } from '../../../src/platform/error.ts'
import { sitemapEntries, type SitemapEntry } from '../../../src/source/web/sitemap-xml.ts'
import { urlset } from '../../support/servers/site.ts'

const address = 'https://x.org/sitemap.xml'

async function* pieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

/**
 * Returns the entries of the text, after checking that pieces of any size yield the same entries.
 */
async function entriesOf(content: string | Uint8Array, url = address): Promise<SitemapEntry[]> {
  const bytes = Buffer.from(content)
  const whole = await Array.fromAsync(sitemapEntries(pieces(bytes, bytes.length), url))
  for (const size of [1, 2, 3, 5, 7, 11, 300]) {
    expect(await Array.fromAsync(sitemapEntries(pieces(bytes, size), url))).toEqual(whole)
  }
  return whole
}

type Content = string | Uint8Array

const check = async (content: Content, expected: Partial<SitemapEntry>[], url = address) =>
  expect(await entriesOf(content, url)).toMatchObject(expected)
const locs = async (content: Content, url = address) =>
  (await entriesOf(content, url)).map(({ loc }) => loc)

/** Expects the reason for rejecting the text, both whole and in pieces. */
async function refused(content: string, reason: string) {
  for (const size of [1, 50, 2 ** 16]) {
    const read = Array.fromAsync(sitemapEntries(pieces(Buffer.from(content), size), address))
    const error = await read.catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(OgError)
    expect((error as Error).message).toBe(`Cannot read sitemap "${address}": ${reason}`)
  }
}

test('returns the URL and the fields of an entry as written', () =>
  check(
    `<?xml version="1.0"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url>
    <loc> a?x=1&amp;y=&#50; </loc><lastmod>2026-01-31</lastmod><priority>0.5</priority></url>
    <url><loc><![CDATA[/b?x=1&y]]></loc></url></urlset>`,
    [
      { type: 'page', loc: 'a?x=1&y=2', lastmod: '2026-01-31', language: null, english: null },
      { type: 'page', loc: '/b?x=1&y', lastmod: null },
    ],
  ))

test('returns the sitemaps of an index', () =>
  check(
    '<sitemapindex><sitemap><loc>/a.xml</loc><lastmod>2026</lastmod></sitemap></sitemapindex>',
    [{ type: 'sitemap', loc: '/a.xml', lastmod: '2026' }],
  ))

test('ignores namespaces and case, and nested loc elements', async () => {
  expect(
    await locs(
      '<S:URLSET xmlns:S="u"><S:Url><S:Loc>/a</S:Loc><i:image xmlns:i="v">' +
        '<i:loc>/b.png</i:loc></i:image></S:Url></S:URLSET>',
    ),
  ).toEqual(['/a'])
  expect(
    await locs('<urlset><loc>/a</loc><url><x>/b</x></url><url><loc> </loc></url></urlset>'),
  ).toEqual([])
})

const link = (language: string, href: string, rel = 'alternate') =>
  `<xhtml:link rel="${rel}" hreflang="${language}" href="${href}"/>`
const page = (loc: string, ...links: string[]) =>
  `<urlset><url><loc>${loc}</loc>${links.join('')}</url></urlset>`

test('reads the language of a page from its own alternate link, and finds the English version', async () => {
  await check(page('/de', link('en-GB', '/en'), link('de', '/de')), [
    { language: 'de', english: '/en' },
  ])
  await check(page('/en', link('de', '/de'), link('en', '/en')), [
    { language: 'en', english: null },
  ])
  await check(page('/de', link('de', '/de'), link('fr', '/fr')), [
    { language: 'de', english: null },
  ])
  await check(page('/de', link('en', '/en')), [{ language: null, english: null }])
  await check(page('/a', link('x-default', '/a'), link('en', '/en')), [
    { language: null, english: '/en' },
  ])
  await check(page('/de', link('de', '/de', 'canonical')), [{ language: null }])
  await check(page('/de', `<x>${link('de', '/de')}</x>`), [{ language: null }])
  await check(page('/de', '<link hreflang="de" href="/de"/>'), [{ language: 'de' }])
})

test('keeps the fields of entries apart', () =>
  check(
    `<urlset><url><loc>/a</loc><lastmod>2026</lastmod>${link('de', '/a')}</url>
    <url><loc>/b</loc></url></urlset>`,
    [
      { loc: '/a', lastmod: '2026', language: 'de' },
      { loc: '/b', lastmod: null, language: null },
    ],
  ))

test('accepts bare ampersands, and expands only predefined entities', async () => {
  const spelt = async (loc: string, expected: string) =>
    expect(await locs(urlset(loc, '/;'))).toEqual([expected, '/;'])
  await spelt('/a?b&c', '/a?b&c')
  await spelt('/a?b&c=1&amp;d&#38;e&#x26;f', '/a?b&c=1&d&e&f')
  await spelt('&&amp', '&&amp')
  await spelt('/a?x&copy;=1&unknown;&#12345678;', '/a?x&copy;=1&unknown;&#12345678;')
  await spelt('<![CDATA[/a?b&c&amp;d]]>&e&amp;f', '/a?b&c&amp;d&e&f')
  await spelt('&lt;&gt;&quot;&apos;', '<>"\'')
})

test('accepts ampersands at any chunk boundary', async () => {
  const long = 'a'.repeat(200)
  const bytes = Buffer.from(urlset(long, '<![CDATA[/a?b&c]]]]>&d&amp;e&#x10ffff;f', '/g?h&i'))
  for (let cut = 200; cut < bytes.length; cut++) {
    const entries = sitemapEntries(
      (async function* () {
        yield bytes.subarray(0, cut)
        yield bytes.subarray(cut)
      })(),
      address,
    )
    expect((await Array.fromAsync(entries)).map(({ loc }) => loc)).toEqual([
      long,
      '/a?b&c]]&d&e\u{10ffff}f',
      '/g?h&i',
    ])
  }
})

test('tolerates faults that browsers tolerate', async () => {
  expect(await locs('\n \n<?xml version="1.0"?><urlset><url><loc>/a</loc></url></urlset>')).toEqual(
    ['/a'],
  )
  expect(await locs('<urlset><url><loc>/a</loc></url></urlset><!-- by a plugin -->')).toEqual([
    '/a',
  ])
})

test('reads a plain list with one URL per line', async () => {
  expect(await locs('https://x.org/a\r\n\n  HTTP://x.org/b \nhttps://x.org/c')).toEqual([
    'https://x.org/a',
    'HTTP://x.org/b',
    'https://x.org/c',
  ])
  await refused('https://x.org/a\n/b\n', 'it is neither XML nor a list of addresses')
  await refused('x'.repeat(9000), 'it is neither XML nor a list')
})

test('returns the sitemaps in a robots.txt', () =>
  check(
    'User-agent: *\nDisallow: /\nSitemap: /a.xml\nsitemap:b.xml\n',
    [
      { type: 'sitemap', loc: '/a.xml' },
      { type: 'sitemap', loc: 'b.xml' },
    ],
    'https://x.org/robots.txt',
  ))

test('decodes by the byte order mark or declaration, or else as UTF-8', async () => {
  const said = (charset: string) => `<?xml version="1.0" encoding="${charset}"?>${urlset('/ä')}`
  expect(await locs(urlset('/ä'))).toEqual(['/ä'])
  expect(await locs(`\ufeff${urlset('/ä')}`)).toEqual(['/ä'])
  expect(await locs(Buffer.from(`\ufeff${urlset('/ä')}`, 'utf16le'))).toEqual(['/ä'])
  expect(await locs(Buffer.from(`\ufeff${urlset('/ä')}`, 'utf16le').swap16())).toEqual(['/ä'])
  expect(await locs(Buffer.from(said('ISO-8859-1'), 'latin1'))).toEqual(['/ä'])
  expect(await locs(said('klingon'))).toEqual(['/ä'])
})

test('rejects entities and other document types', async () => {
  const reason = 'it declares a document type, which could hold entities'
  await refused(`<!DOCTYPE urlset [<!ENTITY a "b">]>${urlset('&a;')}`, reason)
  await refused(`<!doctype urlset SYSTEM "file:///etc/passwd">${urlset('/a')}`, reason)
  await refused(`<?xml version="1.0"?>${' '.repeat(300)}<!DOCTYPE urlset>${urlset('/a')}`, reason)
  await refused('<!DOCTYPE html><html></html>', 'it is a web page')
  await refused('<html><body>a</body></html>', 'it is a web page')
  await refused('<rss><channel/></rss>', 'its root is <rss>, not <urlset> or <sitemapindex>')
})

test('rejects empty, truncated and memory-exhausting files', async () => {
  await refused('', 'it is empty')
  await refused(' \n ', 'it is empty')
  await refused('<urlset><url><loc>/a</loc></url><url><loc>/b', 'it ends early, after 1 addresses')
  await refused('<urlset>', 'it ends early, after 0 addresses')
  await refused('<urlset>' + '<a>'.repeat(40), 'its elements nest over 32 deep')
})

test('limits the memory of an endless tag or text', async () => {
  async function* endless(start: string): AsyncGenerator<Uint8Array> {
    yield Buffer.from(start)
    for (let i = 0; i < 200; i++) yield Buffer.alloc(2 ** 16, 'a')
  }
  for (const start of [
    `<urlset><url x="${' '.repeat(200)}`,
    `<urlset>${' '.repeat(200)}<url><loc>`,
  ]) {
    const read = Array.fromAsync(sitemapEntries(endless(start), address))
    await expect(read).rejects.toThrow('a tag in it has no end')
  }
  const [long] = await locs(urlset('a'.repeat(9000)))
  expect(long).toHaveLength(8192)
})
