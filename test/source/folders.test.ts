import { expect, test } from 'bun:test'
import { foldersOf } from '../../src/source/folders.ts'

test('lists each folder above a file once, with a trailing slash', () => {
  expect([...foldersOf(['a/b/c.md', 'a/b/d.md', 'e.md', '/f.md'])].sort()).toEqual(['a/', 'a/b/'])
})
