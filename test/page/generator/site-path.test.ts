import { expect, test } from 'bun:test'
import {
  folderIn,
  folderOf,
  globsIn,
  isIn,
  pathIn,
  rootByName,
} from '../../../src/page/generator/site-path.ts'

test('joins a path to a folder without leaving the top', () => {
  expect(pathIn('a/b', '../c/./d.md')).toBe('a/c/d.md')
  expect(pathIn('', 'c.md')).toBe('c.md')
  expect(pathIn('a', '../../c.md')).toBeNull()
  expect(pathIn('a', '..')).toBeNull()
})

test('joins a folder to a folder, also the top itself', () => {
  expect(folderIn('a', '..')).toBe('')
  expect(folderIn('a', './b/')).toBe('a/b')
  expect(folderIn('', '..')).toBeNull()
})

test('tells the folder of a path, and whether it holds another', () => {
  expect([folderOf('a/b.md'), folderOf('b.md')]).toEqual(['a', ''])
  expect([isIn('a/b.md', 'a'), isIn('ab/c.md', 'a'), isIn('x', '')]).toEqual([true, false, true])
})

test('takes the folder of a file with a known name as a root', () => {
  expect(rootByName('a/mkdocs.yml', ['mkdocs.yml'])).toBe('a')
  expect(rootByName('a/other.yml', ['mkdocs.yml'])).toBeNull()
})

test('reads globs of a configuration below its folder, which is no pattern itself', () => {
  expect(globsIn('', ['/a/*', './b/', '!c'])).toEqual(['a/*', 'b', 'c'])
  expect(globsIn('docs [old]', ['*.md'])).toEqual(['docs \\[old\\]/*.md'])
})
