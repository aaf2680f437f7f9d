import { describe, expect, test } from 'bun:test'
import { docsFolder } from '../../../src/source/choice/docs-folder.ts'

/** So many pages in a folder; a name with a point is a file. */
function files(tree: Record<string, number>): string[] {
  return Object.entries(tree).flatMap(([place, count]) => {
    if (/\.\w+$/.test(place)) return [place]
    return Array.from({ length: count }, (_, i) => `${place}/p${i}.md`)
  })
}

const code = Array.from({ length: 100 }, (_, i) => `src/m${i}.py`)

function check(tree: Record<string, number>, expected: string, passed: string[] = []): void {
  const found = docsFolder([...files(tree), ...code], {})
  expect(found.how).toBe(expected)
  expect(found.passed.map(({ place, reason }) => `${place}: ${reason}`)).toEqual(passed)
  const [place] = found.docsPaths
  expect(expected.startsWith(place ?? 'all of it')).toBe(true)
}

describe('of a repository of code', () => {
  test('the first of the usual folders', () => {
    check({ docs: 3, guides: 2, 'README.md': 1 }, 'docs (3 pages)', ['guides: 2 pages'])
    check({ doc: 1, content: 2 }, 'doc (1 page)', ['content: 2 pages'])
    check({ 'website/docs': 9 }, 'website/docs (9 pages)')
  })

  test('unless it has less than a quarter of the pages of another', () =>
    check({ docs: 2, 'website/docs': 9 }, 'website/docs (9 pages)', ['docs: 2 pages']))

  test('without what is no page, or a translation', () => {
    check({ 'docs/logo.png': 1, doc: 1 }, 'doc (1 page)')
    check({ 'docs/en': 3, 'docs/de': 3 }, 'docs (3 pages)')
  })

  test('else a folder of that name further in, or one that has most of the pages', () => {
    check({ 'site/latest/docs': 5, tools: 2 }, 'site/latest/docs (5 pages)')
    check({ 'handbook/a': 20, 'parts/docs': 4 }, 'handbook (20 pages)')
    check({ notes: 4, 'README.md': 1 }, 'README.md, since no folder of documentation is there')
  })

  test('the README as the least, and all of it where there is none', () => {
    check(
      { 'README.rst': 1, 'CONTRIBUTING.md': 1, 'tests/docs': 30 },
      'README.rst, since no folder of documentation is there',
    )
    check({ 'CONTRIBUTING.md': 1 }, 'all of it (1 page)')
  })
})

test('a repository that is documentation is taken as a whole', () => {
  const paths = files({ 'README.md': 1, kitchen: 40, guides: 5, garden: 20, 'logo.png': 1 })
  expect(docsFolder(paths, {})).toEqual({
    kind: 'all',
    docsPaths: [],
    how: 'all of it (66 pages)',
    readme: 'README.md',
    passed: [{ place: 'guides', reason: '5 pages' }],
  })
  const site = files({ docs: 40, '.github': 3, 'README.md': 1, 'package.json': 1 })
  expect(docsFolder(site, {}).docsPaths).toEqual(['docs'])
})
