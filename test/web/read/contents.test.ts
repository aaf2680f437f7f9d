import { expect, test } from 'bun:test'
import { htmlText } from '../../../src/web/html.ts'
import { renderContents } from '../../../src/web/read/read-page.ts'

function check(paths: readonly string[], open: string, order: readonly string[] = []) {
  const heads = new Map(
    paths.map((path, i) => {
      const head = { url: `doc:/${path}`, path, title: `T ${path}`, markup: 'markdown' }
      const position = order.indexOf(path)
      const nav = position < 0 ? {} : { nav_position: position }
      return [head.url, { ...head, ...nav, rowId: BigInt(i) }] as const
    }),
  )
  const page = { library: 'a', version: '1', url: `doc:/${open}` }
  const { tree, neighbours } = renderContents(page, heads)
  const names = (part: typeof tree) =>
    part === null ? [] : [...htmlText(part).matchAll(/">(?:<span[^]*?<\/span> )?([^<]+)<\/a>/g)]
  return {
    tree: names(tree).map(([, name]) => name),
    neighbours: names(neighbours).map(([, name]) => name),
    text: tree === null ? '' : htmlText(tree),
  }
}

const paths = ['docs/b/10-x.md', 'docs/b/2-y.md', 'docs/index.md', 'docs/c/index.md', 'docs/a.md']

test('expands the folders above the page, with index pages first and numbers in numerical order', () => {
  const { tree, neighbours, text } = check(paths, 'docs/b/10-x.md')
  expect(tree).toEqual([
    'T docs/index.md',
    'T docs/a.md',
    'b',
    'T docs/b/2-y.md',
    'T docs/b/10-x.md',
    'T docs/c/index.md',
  ])
  expect(neighbours).toEqual(['T docs/b/2-y.md', 'T docs/c/index.md'])
  expect(text.match(/aria-current/g)).toHaveLength(1)
})

test('follows the navigation of the site, with unlisted pages last', () => {
  const order = ['docs/index.md', 'docs/c/index.md', 'docs/b/10-x.md']
  const { tree, neighbours } = check(paths, 'docs/b/10-x.md', order)
  expect(tree).toEqual([
    'T docs/index.md',
    'T docs/c/index.md',
    'b',
    'T docs/b/10-x.md',
    'T docs/b/2-y.md',
    'T docs/a.md',
  ])
  expect(neighbours).toEqual(['T docs/c/index.md', 'T docs/a.md'])
})

test('keeps other folders closed and has no previous page before the first', () => {
  const { tree, neighbours } = check(paths, 'docs/index.md')
  expect(tree).toEqual(['T docs/index.md', 'T docs/a.md', 'b', 'T docs/c/index.md'])
  expect(neighbours).toEqual(['T docs/a.md'])
})

test('renders nothing for a library of one page', () => {
  expect(check(['a.md'], 'a.md').text).toBe('')
})

test('limits the links of a folder to those near the page', () => {
  const many = Array.from({ length: 300 }, (_, i) => `p${i}.md`)
  const { tree } = check(many, 'p150.md')
  expect(tree).toHaveLength(100)
  expect(tree).toContain('T p150.md')
})

test('shows a chain of nested folders as one', () => {
  const chained = ['docs/en/docs/index.md', 'docs/en/docs/a.md', 'src/b.md']
  const { tree } = check(chained, 'docs/en/docs/a.md')
  expect(tree).toEqual(['T docs/en/docs/index.md', 'T docs/en/docs/a.md', 'src'])
})

test('shows the sections at the top open, and closes the pages below other pages', () => {
  const nav: [string, string][] = [
    ['home.md', ''],
    ['a.md', 'Guide'],
    ['b.md', 'Guide\n/a.md'],
    ['c.md', 'Reference'],
  ]
  const heads = new Map(
    nav.map(([path, nav_section], i) => {
      const head = { url: `doc:/${path}`, path, title: `T ${path}`, markup: 'markdown' }
      return [head.url, { ...head, nav_section, nav_position: i, rowId: BigInt(i) }] as const
    }),
  )
  const { tree } = renderContents({ library: 'a', version: '1', url: 'doc:/home.md' }, heads)
  const items = [...htmlText(tree!).matchAll(/<li( class="\w+")?><(?:span|a [^>]*)>([^<]*)/g)]
  expect(items.map(([, kind = '', name]) => `${name}${kind}`)).toEqual([
    'T home.md',
    'Guide class="section"',
    'T a.md class="folder"',
    'Reference class="section"',
    'T c.md',
  ])
})
