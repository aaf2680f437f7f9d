import { expect, test } from 'bun:test'
import {
  findPage,
  similarPages,
  shortestPageName,
  splitAnchor,
  headingsOf,
  findSection,
} from '../../src/library/page-lookup.ts'

const forge = 'https://forge.example/r/blob/1.0/docs'
const pages = [
  [`${forge}/index.md`, 'docs/index.md'],
  [`${forge}/tutorial/cors.md`, 'docs/tutorial/cors.md'],
  [`${forge}/tutorial/index.md`, 'docs/tutorial/index.md'],
  [`${forge}/a/b.md`, 'docs/a/b.md'],
  [`${forge}/c/b.md`, 'docs/c/b.md'],
  [`${forge}/%C3%BC.md`, 'docs/ü.md'],
  ['https://site.example/guide/', '/guide/'],
  ['https://site.example/api.html', '/api.html'],
] as const
const heads = new Map<string, { url: string; path: string }>(
  pages.map(([url, path]) => [url, { url, path }]),
)

function check(typed: string, expected: string | null): void {
  expect(findPage(splitAnchor(typed).place, heads)).toBe(expected)
}

test('finds the page for a URL copied from a browser', () => {
  for (const end of ['', '/', '/index.html', '/index', '.html', '?tab=2', '/?q#part']) {
    check(`https://site.example/guide${end}`, 'https://site.example/guide/')
  }
  for (const end of ['', '/', '.html', '.html?x=1#y']) {
    check(`http://www.site.example/api${end}`, 'https://site.example/api.html')
  }
})

test('finds a page by its path in the source, or by the end of that path', () => {
  for (const typed of [
    'tutorial/cors.md',
    './tutorial/cors',
    'docs/tutorial/cors.md',
    'cors.md',
    '/docs/tutorial/cors.md#use',
  ])
    check(typed, `${forge}/tutorial/cors.md`)
  expect(findPage('index.md', new Map([['doc:/', { url: 'doc:/', path: 'index.md' }]]))).toBe(
    'doc:/',
  )
  check('docs/ü.md', `${forge}/%C3%BC.md`)
  check('tutorial', `${forge}/tutorial/index.md`)
  check('tutorial/index.md', `${forge}/tutorial/index.md`)
})

test('finds no page for an address that matches several pages or none', () => {
  for (const typed of ['b.md', 'ors.md', '', '/', '#x', 'index.md', '%', 'nothing'])
    check(typed, null)
})

test('finds a page whose path contains a #, and its section', () => {
  const url = 'file:///d/docs/c%23.md'
  const odd = new Map([[url, { url, path: 'docs/c#.md' }], ...heads])
  for (const typed of ['docs/c#.md', 'c#.md', './docs/c#.md', url, 'c#', 'docs/c#.md#set-up']) {
    const { place, anchor } = splitAnchor(typed, odd)
    expect(findPage(place, odd)).toBe(url)
    expect(anchor).toBe(typed.endsWith('up') ? 'set-up' : null)
  }
  expect(splitAnchor('docs/a/b.md#c#.md', odd)).toEqual({ place: 'docs/a/b.md', anchor: 'c#.md' })
})

test('finds a page whose path has decomposed accents by the composed form', () => {
  const path = 'docs/Größe.md'.normalize('NFD')
  const url = `file:///d/${encodeURI(path)}`
  const decomposed = new Map([[url, { url, path }]])
  for (const typed of ['docs/Größe.md', 'Größe', `file:///d/${encodeURI('docs/Größe.md')}`]) {
    expect(findPage(typed, decomposed)).toBe(url)
  }
})

test('suggests pages with the same or a similar file name', () => {
  expect(similarPages('x/b.html', heads)).toEqual([`${forge}/a/b.md`, `${forge}/c/b.md`])
  expect(similarPages('tutorial/corss.md', heads)).toEqual([`${forge}/tutorial/cors.md`])
  expect(similarPages('https://far.example/nothing', heads)).toEqual([])
})

test('decodes the fragment of an address', () => {
  expect(splitAnchor('a.md#%C3%BC b#c')).toEqual({ place: 'a.md', anchor: 'ü b#c' })
  expect(splitAnchor('a.md#')).toEqual({ place: 'a.md', anchor: null })
})

test('splits the fragment from a page whose own address contains a #', () => {
  const parts = new Map([['doc:/api.json#GET%20/lamps', { path: 'api.json' }]])
  const place = 'doc:/api.json#GET%20/lamps'
  expect(splitAnchor(`${place}#200-ok`, parts)).toEqual({ place, anchor: '200-ok' })
  expect(splitAnchor('doc:/api.json#lamps#200', parts)).toEqual({
    place: 'doc:/api.json',
    anchor: 'lamps#200',
  })
})

test('identifies a page by the shortest unique end of its path', () => {
  const nameOf = (end: string) => shortestPageName(heads.get(`${forge}/${end}`)!, heads)
  expect(nameOf('tutorial/cors.md')).toBe('cors')
  expect(nameOf('a/b.md')).toBe('a/b')
  expect(nameOf('tutorial/index.md')).toBe('tutorial')
  expect(shortestPageName(heads.get('https://site.example/guide/')!, heads)).toBe('guide')
  for (const [url] of pages) {
    const { path } = heads.get(url)!
    expect(findPage(shortestPageName({ url, path }, heads), heads)).toBe(url)
  }
  const same = new Map([
    ['x:/a', { path: 'a' }],
    ['y:/a', { path: 'a' }],
  ])
  expect(shortestPageName({ url: 'x:/a', path: 'a' }, same)).toBe('x:/a')
  const readme = { url: 'https://demo.example/README.md', path: 'README.md' }
  expect(shortestPageName(readme, new Map([[readme.url, readme]]))).toBe('README.md')
})

const text = `# CORS

## Use \`CORSMiddleware\`

One.

### More Info

Two.

## Set \`CORSMiddleware\` { #own }

Three.
`
const page = { text, markup: 'markdown' as const }

test('returns a section with everything below its heading', () => {
  const use = { anchor: 'use-corsmiddleware', heading: 'CORS > Use CORSMiddleware', startLine: 3 }
  for (const typed of ['use-corsmiddleware', 'USE-corsmiddleware', 'Use CORSMiddleware']) {
    expect(findSection(page, typed)).toEqual({ ...use, endLine: 10 })
  }
  expect(findSection(page, 'own')).toMatchObject({ startLine: 11, endLine: 13 })
  expect(findSection(page, 'cors')).toMatchObject({ startLine: 1, endLine: 13 })
})

test('returns the line of a value in the API reference', () => {
  const values = '**Values**\n\n- `pub const LIT: u8`: Burns.\n- `pub const OUT: u8`\n'
  const api = { ...page, text: `# \`lamp\`\n\nA lamp.\n\n${values}` }
  const anchor = 'lamp::LIT'
  expect(findSection(api, anchor)).toEqual({ anchor, heading: anchor, startLine: 7, endLine: 7 })
})

test('suggests similar headings if a section does not exist', () => {
  expect(findSection(page, 'use-cors-middleware')).toEqual({ nearest: ['use-corsmiddleware'] })
  expect(findSection(page, 'info')).toEqual({ nearest: ['more-info'] })
  const all = ['cors', 'use-corsmiddleware', 'more-info', 'own']
  expect(findSection(page, 'xylophone')).toEqual({ nearest: all })
  expect(findSection({ ...page, text: 'no headings' }, 'x')).toEqual({ nearest: [] })
})

test('returns headings with their lines', () => {
  expect(headingsOf(page).map(({ line, level }) => [line, level])).toEqual([
    [1, 1],
    [3, 2],
    [7, 3],
    [11, 2],
  ])
})

test('prefers the heading that is spelled as typed', () => {
  const text = '# `kit`\n\n## `kit.$with`\n\nA.\n\n## `kit.with`\n\nB.\n'
  expect(findSection({ text, markup: 'markdown' }, 'kit.with')).toMatchObject({ startLine: 7 })
})

test('prefers a listed value that is spelled as typed', () => {
  const text = '# `Kit`\n\n**Values**\n\n- `Kit::TRIM` (`TRIM = 1`)\n\n## `Kit#trim`\n\nA.\n'
  const found = findSection({ text, markup: 'markdown' }, 'Kit::TRIM')
  expect(found).toMatchObject({ startLine: 5 })
})
