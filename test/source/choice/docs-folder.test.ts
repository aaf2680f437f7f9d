import { describe, expect, test } from 'bun:test'
import { findDocsFolder } from '../../../src/source/choice/docs-folder.ts'

/** Paths with the given number of pages in each folder. A name with a dot is a file. */
function files(tree: Record<string, number>): string[] {
  return Object.entries(tree).flatMap(([place, count]) => {
    if (/\.\w+$/.test(place)) return [place]
    return Array.from({ length: count }, (_, i) => `${place}/p${i}.md`)
  })
}

const readmeOnly = 'README.md, because there is no documentation folder'

const code = Array.from({ length: 100 }, (_, i) => `src/m${i}.py`)

function check(tree: Record<string, number>, expected: string, passed: string[] = []): void {
  const found = findDocsFolder([...files(tree), ...code], {})
  expect(found.how).toBe(expected)
  expect(found.toRejected.map(({ place, reason }) => `${place}: ${reason}`)).toEqual(passed)
  const [place] = found.docsPaths
  expect(expected.startsWith(place ?? 'all of it')).toBe(true)
}

describe('the documentation of a code repository', () => {
  test('uses the first common docs folder', () => {
    check({ docs: 3, guides: 2, 'README.md': 1 }, 'docs (3 pages)', ['guides: 2 pages'])
    check({ doc: 1, content: 2 }, 'doc (1 page)', ['content: 2 pages'])
    check({ 'website/docs': 9 }, 'website/docs (9 pages)')
  })

  test('reads the skills of a package, but not those for developers of the repository', () => {
    const skill = 'skills/use/SKILL.md'
    check({ [skill]: 1, 'README.md': 1 }, 'skills (1 page)')
    check({ [`lamp/${skill}`]: 1, 'README.md': 1 }, 'lamp/skills (1 page)')
    check({ [`lamp/.agents/${skill}`]: 1, 'README.md': 1 }, readmeOnly)
    check({ [skill]: 1, docs: 1 }, 'docs (1 page)')
    check({ [skill]: 1, 'a/docs': 2 }, 'a/docs (2 pages) and skills (1 page)')
    check({ [`.agents/${skill}`]: 1, 'README.md': 1 }, readmeOnly)
  })

  test("skips a folder with less than a quarter of another folder's pages", () =>
    check({ docs: 2, 'website/docs': 9 }, 'website/docs (9 pages)', ['docs: 2 pages']))

  test('counts only pages, without translations', () => {
    check({ 'docs/logo.png': 1, doc: 1 }, 'doc (1 page)')
    check({ 'docs/en': 3, 'docs/de': 3 }, 'docs (3 pages)')
  })

  test('otherwise uses a deeper docs folder, or the folder with most pages', () => {
    check({ 'site/latest/docs': 5, tools: 2 }, 'site/latest/docs (5 pages)')
    check({ 'handbook/a': 20, 'parts/docs': 4 }, 'handbook (20 pages)')
    check({ scripts: 28, 'README.md': 1 }, readmeOnly)
    check({ notes: 4, 'README.md': 1 }, 'README.md, because there is no documentation folder')
  })

  test('otherwise uses the README, or the whole repository', () => {
    check(
      { 'README.rst': 1, 'CONTRIBUTING.md': 1, 'tests/docs': 30 },
      'README.rst, because there is no documentation folder',
    )
    check({ 'CONTRIBUTING.md': 1 }, 'all of it (1 page)')
  })
})

test('uses the whole repository if it contains only documentation', () => {
  const paths = files({ 'README.md': 1, kitchen: 40, guides: 5, garden: 20, 'logo.png': 1 })
  expect(findDocsFolder(paths, {})).toEqual({
    kind: 'all',
    docsPaths: [],
    how: 'all of it (66 pages)',
    readme: 'README.md',
    toRejected: [{ place: 'guides', reason: '5 pages' }],
  })
  const site = files({ docs: 40, '.github': 3, 'README.md': 1, 'package.json': 1 })
  expect(findDocsFolder(site, {}).docsPaths).toEqual(['docs'])
})

test('reads the help files, the articles and the README of an R package', () => {
  const paths = ['DESCRIPTION', 'man/across.Rd', 'man/pick.Rd', 'vignettes/base.Rmd', 'README.md']
  const site = files({ docs: 9 })
  const { docsPaths, how } = findDocsFolder([...paths, ...site, ...code], {})
  expect(docsPaths).toEqual(['man', 'vignettes', 'README.md'])
  expect(how).toBe('man and vignettes (3 pages) and README.md')
  expect(findDocsFolder([...paths.slice(1), ...site, ...code], {}).docsPaths).toEqual(['docs'])
})

test('reads the modules of a Perl distribution', () => {
  const paths = ['Makefile.PL', 'lib/Mojo.pm', 'lib/Mojo/Guides/Cookbook.pod', 't/basic.t']
  expect(findDocsFolder([...paths, ...code], {}).docsPaths).toEqual(['lib'])
  expect(findDocsFolder(['lib/Mojo.pm', ...files({ docs: 2 })], {}).docsPaths).toEqual(['docs'])
})
