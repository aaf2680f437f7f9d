import { expect, test } from 'bun:test'
import {
  rawPageToPage,
  rawFileName,
  parseRawPage,
  renderRawPage,
} from '../../src/source/raw-page.ts'

/** Upstream's raw page for a Markdown file of a repository. */
const upstream = {
  url: 'https://github.com/a/b/tree/main/docs/my-guide.md',
  library_name: 'React',
  version: 'v1',
  title: 'My Guide',
  description: 'Documentation file from docs/my-guide.md',
  last_modified: null,
  content: '# How to brew\n\nWater first. Ünïcode.\n',
}

function check(changed: object, expected: object): void {
  expect(rawPageToPage(parseRawPage({ ...upstream, ...changed })!)).toMatchObject(expected)
}

test('prefers the heading to a title made from the file name (W-27)', () => {
  check(
    {},
    {
      url: upstream.url,
      path: 'docs/my-guide.md',
      title: 'How to brew',
      description: 'Water first. Ünïcode.',
      text: upstream.content,
      markup: 'markdown',
      lastModified: null,
    },
  )
  check(
    { title: 'Brewing', description: 'All of it' },
    { title: 'Brewing', description: 'All of it' },
  )
  check({ title: 'Unknown' }, { title: 'How to brew' })
  check({ content: 'Water.' }, { title: 'My Guide' })
})

test("derives the path from upstream's description, a forge's URL, or the URL", () => {
  const plain = { description: null }
  check(
    { ...plain, url: 'https://gitlab.com/g/h/-/blob/v1/doc/a%20b.rst' },
    { path: 'doc/a b.rst', markup: 'markdown' },
  )
  check({ ...plain, url: 'https://x.example/guide/100%25/' }, { path: 'guide/100%' })
  check({ ...plain, url: 'https://x.example/' }, { path: 'index' })
  check({ ...plain, url: 'not an address.txt', content: 'a' }, { markup: 'text' })
})

test('replaces characters that no file contains', () => {
  check({ content: 'a\r\nb\0\ud800' }, { text: 'a\nb\ufffd\ufffd' })
  for (const odd of [null, [], 5, {}, { url: 'u' }, { url: '', content: '' }, { url: 5 }]) {
    expect(parseRawPage(odd)).toBe(null)
  }
})

test('renders like upstream: same order of keys, two spaces, ASCII only', () => {
  const page = rawPageToPage(
    parseRawPage({ ...upstream, title: '😀', description: 'd', content: 'ü' })!,
  )
  expect(renderRawPage(page, { library: 'React', version: 'v1' })).toBe(`{
  "url": "https://github.com/a/b/tree/main/docs/my-guide.md",
  "library_name": "React",
  "version": "v1",
  "title": "\\ud83d\\ude00",
  "description": "d",
  "last_modified": null,
  "content": "\\u00fc"
}`)
})

test("uses upstream's file names, each only once (W-09)", () => {
  const names = (...urls: string[]) => {
    const taken = new Map<string, string>()
    return urls.map((url) => rawFileName(url, taken))
  }
  expect(names('https://github.com/a/b/tree/main/docs/x.md')).toEqual([
    'a-b-tree-main-docs-x.md.json',
  ])
  expect(names('file:///h/u/d/a.md', 'https://x.example/')).toEqual([
    'h-u-d-a.md.json',
    'home.json',
  ])
  const urls = ['/a/b', '/a-b', '/A/B', '/a/b?p=1', '/a/b?p=2'].map(
    (path) => `https://x.example${path}`,
  )
  const found = names(...urls)
  expect(found[0]).toBe('a-b.json')
  expect(new Set(found.map((name) => name.toLowerCase())).size).toBe(urls.length)
  expect(names(...urls)).toEqual(found)
  const [long] = names(`https://x.example/${'ü'.repeat(200)}`)
  expect(Buffer.byteLength(long!)).toBeLessThan(255)
  expect(names('../../etc/passwd')).toEqual(['..-..-etc-passwd.json'])
})
