import { expect, test } from 'bun:test'
import { resolveLinks, readAddress } from '../../../src/web/read/page-links.ts'

const heads = new Map(
  ['guide/a.md', 'guide/b.md', 'index.md'].map((path) => {
    const url = `https://docs.example/${path.replace(/(index)?\.md$/, '')}`
    return [
      url,
      { url, path, title: path === 'guide/b.md' ? 'Page <b>' : '', markup: 'markdown', rowId: 0n },
    ]
  }),
)
const page = { library: 'x', version: '1', url: 'https://docs.example/guide/a' }
const toB = readAddress({
  library: 'x',
  version: '1',
  url: 'https://docs.example/guide/b',
  anchor: 'c d',
})

function check(written: string, expected: string | null, isPart = false): void {
  const link = resolveLinks(`<a href="${written}">`, { ...page, isPart }, heads)
  const wanted = expected?.replaceAll('&', '&amp;')
  expect(link).toBe(wanted === undefined ? '<a>' : `<a href="${wanted}">`)
}

test('keeps links between indexed pages on this site, in every spelling', () => {
  for (const written of [
    'b#c%20d',
    'b.md#c%20d',
    './b.html#c%20d',
    '/guide/b/#c%20d',
    'https://docs.example/guide/b?x=1&amp;y=2#c%20d',
    '../guide/b.md#c%20d',
  ])
    check(written, toB)
})

test('opens other links on the web or within the page, and removes dead ones', () => {
  expect(resolveLinks('<a href="/other?a=1&amp;b=2">', page, heads)).toBe(
    '<a href="https://docs.example/other?a=1&amp;b=2" class="away" rel="noopener noreferrer">',
  )
  check('#c', '#c')
  check('mailto:a@b.example', 'mailto:a@b.example')
  const local = { library: 'x', version: '1', url: 'doc:/a.md' }
  expect(resolveLinks('<a href="none.md">', local, heads)).toBe('<a>')
})

test('replaces a file name as link text by the title of the page', () => {
  const to = toB.replace('#c%20d', '').replaceAll('&', '&amp;')
  const check = (link: string, expected: string) =>
    expect(resolveLinks(link, page, heads)).toBe(expected)
  check('<a href="b">b</a> c', `<a href="${to}">Page &lt;b&gt;</a> c`)
  check('<a href="b">more</a>', `<a href="${to}">more</a>`)
  check('<a href="b"><code>b</code></a>', `<a href="${to}"><code>b</code></a>`)
  expect(resolveLinks('<a href="none">none</a>', { ...page, url: 'doc:/a.md' }, heads)).toBe(
    '<a>none</a>',
  )
})

test('resolves a root-relative link from the folders above the page', () => {
  const paths = ['docs/guide/a.md', 'docs/config/b.md', 'config/b.md', 'docs/guide/config/b.md']
  const of = (paths: readonly string[]) =>
    new Map(
      paths.map((path) => [
        `doc:/${path}`,
        { url: `doc:/${path}`, path, title: '', markup: 'markdown', rowId: 0n },
      ]),
    )
  const local = { library: 'x', version: '1', url: 'doc:/docs/guide/a.md' }
  const link = (given: readonly string[]) => resolveLinks('<a href="/config/b">', local, of(given))
  expect(link(paths.slice(0, 2))).toContain(encodeURIComponent('doc:/docs/config/b.md'))
  expect(link(paths)).toContain(encodeURIComponent('doc:/config/b.md'))
  expect(link(paths.slice(0, 1))).toBe('<a>')
})

test('tries only the nearest folders of a deep page', () => {
  const head = (depth: number, name: string) => {
    const path = `${'d/'.repeat(depth)}${name}`
    return { url: `doc:/${path}`, path, title: '', markup: 'markdown' as const, rowId: 0n }
  }
  const deep = head(1500, 'a.md')
  const link = (depth: number) =>
    resolveLinks(
      '<a href="/b">',
      { library: 'x', version: '1', url: deep.url },
      new Map([deep, head(depth, 'b.md')].map((one) => [one.url, one])),
    )
  expect(link(1485)).toContain('b.md')
  expect(link(1484)).toBe('<a>')
})

test('an anchor in an excerpt opens its page', () => {
  check('#c', readAddress({ ...page, anchor: 'c' }), true)
})
