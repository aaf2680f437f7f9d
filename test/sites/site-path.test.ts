import { expect, test } from 'bun:test'
import {
  resolveSubfolder,
  parentFolder,
  resolveGlobs,
  isInFolder,
  resolveInFolder,
  rootForFileName,
  sharedFolders,
} from '../../src/sites/site-path.ts'

test('joins a path to a folder without leaving the top', () => {
  expect(resolveInFolder('a/b', '../c/./d.md')).toBe('a/c/d.md')
  expect(resolveInFolder('', 'c.md')).toBe('c.md')
  expect(resolveInFolder('a', '../../c.md')).toBeNull()
  expect(resolveInFolder('a', '..')).toBeNull()
})

test('resolves a subfolder, up to the top folder', () => {
  expect(resolveSubfolder('a', '..')).toBe('')
  expect(resolveSubfolder('a', './b/')).toBe('a/b')
  expect(resolveSubfolder('', '..')).toBeNull()
})

test('returns the folder of a path, and whether it contains another path', () => {
  expect([parentFolder('a/b.md'), parentFolder('b.md')]).toEqual(['a', ''])
  expect([isInFolder('a/b.md', 'a'), isInFolder('ab/c.md', 'a'), isInFolder('x', '')]).toEqual([
    true,
    false,
    true,
  ])
})

test('treats the folder of a file with a known name as a root', () => {
  expect(rootForFileName('a/mkdocs.yml', ['mkdocs.yml'])).toBe('a')
  expect(rootForFileName('a/other.yml', ['mkdocs.yml'])).toBeNull()
})

test("resolves configured globs below the configuration's folder, and escapes the folder name", () => {
  expect(resolveGlobs('', ['/a/*', './b/', '!c'])).toEqual(['a/*', 'b', 'c'])
  expect(resolveGlobs('docs [old]', ['*.md'])).toEqual(['docs \\[old\\]/*.md'])
})

test('counts the folders that two paths share', () => {
  expect(sharedFolders('a/b/c', 'a/b/d/e')).toBe(2)
  expect(sharedFolders('a', 'b')).toBe(0)
})
