import { expect, test } from 'bun:test'
import { cleanDocsPath, parseDocsPath } from '../../../src/source/select/docs-path.ts'

test('normalises a docs path, and rejects one that leaves the repository', () => {
  expect(['/', '', './docs/', 'a//b/./c'].map(cleanDocsPath)).toEqual(['', '', 'docs', 'a/b/c'])
  for (const path of ['..', 'docs/../..', 'a\0b']) {
    expect(() => cleanDocsPath(path)).toThrow('it leaves the repository')
  }
})

/** Expects the paths that a docs path matches. */
function check(typed: string, paths: string[], expected: string[]): void {
  expect(paths.filter(parseDocsPath(typed, paths).matches)).toEqual(expected)
}

test('matches a folder, a file, everything, or a glob', () => {
  const paths = ['docs/a.md', 'docs/b/c.md', 'docs2/d.md', 'README.md']
  check('docs', paths, ['docs/a.md', 'docs/b/c.md'])
  check('README.md', paths, ['README.md'])
  check('/', paths, paths)
  check('docs*/*.md', paths, ['docs/a.md', 'docs2/d.md'])
})

test('treats the name of an existing folder as literal, even if it resembles a glob', () => {
  check('app/[id]', ['app/[id]/a.md', 'app/i/b.md'], ['app/[id]/a.md'])
  check('app/[id]', ['app/i/b.md', 'app/x/c.md'], ['app/i/b.md'])
})
