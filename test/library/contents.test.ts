import { expect, test } from 'bun:test'
import type { PageHead } from '../../src/store/pages/page-table.ts'
import { orderedLeaves } from '../../src/library/contents.ts'

/** Checks the steps to each page, in reading order; the title of a page is its path. */
function check(pages: Record<string, Partial<PageHead>>, expected: readonly string[]) {
  const heads = new Map(
    Object.entries(pages).map(([path, nav], i) => {
      const head = { url: `doc:/${path}`, path, title: path, markup: 'rst', rowId: BigInt(i) }
      return [head.url, { ...head, ...nav }] as const
    }),
  )
  const leaves = orderedLeaves(heads)
  expect(leaves.map(({ parts, title }) => `${parts.join(' > ')} (${title})`)).toEqual([...expected])
}

test('follows toctrees from the page that no other lists', () => {
  check(
    {
      'index.rst': { toctree: '# Guide\na/index\tStart here\n## API\napi' },
      'a/index.rst': { toctree: '# Contents:\na/b\na/index' },
      'a/b.rst': {},
      'api.rst': {},
      'stray/x.rst': {},
    },
    [
      '/index.rst (index.rst)',
      '# Guide > /a/index.rst > index (Start here)',
      '# Guide > /a/index.rst > /a/b.rst (a/b.rst)',
      '# API > /api.rst (api.rst)',
      '# Other pages > x.rst (stray/x.rst)',
    ],
  )
})

test('lists the pages of a glob in their order, within one folder, and each page once', () => {
  check(
    {
      'index.md': { toctree: 'x/2\nx/*\nmissing' },
      'x/10.md': {},
      'x/2.md': {},
      'x/9.md': {},
      'x/y/z.md': {},
    },
    [
      '/index.md (index.md)',
      '/x/2.md (x/2.md)',
      '/x/9.md (x/9.md)',
      '/x/10.md (x/10.md)',
      '# Other pages > z.md (x/y/z.md)',
    ],
  )
})

test('places pages in the sections of a navigation, and below other pages', () => {
  check(
    {
      'b.md': { nav_position: 2, nav_section: 'Guide\n/a.md' },
      'a.md': { nav_position: 1, nav_section: 'Guide' },
      'home.md': { nav_position: 0 },
    },
    ['/home.md (home.md)', '# Guide > /a.md > index (a.md)', '# Guide > /a.md > /b.md (b.md)'],
  )
})

test('ends at a circle of toctrees', () => {
  check({ 'a.rst': { toctree: 'b' }, 'b.rst': { toctree: 'a' } }, [
    '/a.rst (a.rst)',
    '/b.rst (b.rst)',
  ])
})
