import { expect, test } from 'bun:test'
import { foldersOf, listingOf } from '../../src/source/folders.ts'

test('lists each folder above a file once, with a trailing slash', () => {
  expect([...foldersOf(['a/b/c.md', 'a/b/d.md', 'e.md', '/f.md'])].sort()).toEqual(['a/', 'a/b/'])
})

test('lists the files with an extension below a folder', () => {
  const files = ['src/b/c.jl', 'src/a.jl', 'src/a.py', 'lib/src/d.jl', 'e.jl']
  expect(listingOf('src/*.jl', files)).toBe('src/a.jl\nsrc/b/c.jl')
  expect(listingOf('*.jl', ['e.jl'])).toBe('e.jl')
  expect(listingOf('none/*.jl', files)).toBeNull()
  expect(listingOf('src/a.jl', files)).toBeUndefined()
})
