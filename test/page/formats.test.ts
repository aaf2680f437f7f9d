import { expect, test } from 'bun:test'
import {
  formatOf,
  formatOfMediaType,
  formats,
  includedFormatOf,
  pageExtensions,
  withoutPageExtension,
} from '../../src/page/formats.ts'

test('no two formats share an extension or a media type', () => {
  const all = Object.values(formats)
  const named = all.flatMap(({ extensions, mediaTypes, sharedTypes = [] }) => [
    ...extensions,
    ...mediaTypes,
    ...sharedTypes,
  ])
  expect(new Set(named).size).toBe(named.length)
  expect(pageExtensions).toEqual(all.flatMap(({ extensions }) => extensions))
  for (const name of named) expect(name).toMatch(/^(?:\.[a-z]+|[a-z]+\/[a-z.+-]+)$/)
})

test('tells the format of a file by its extension', () => {
  for (const [path, expected] of [
    ['a/b.md', 'markdown'],
    ['A.MDX', 'mdx'],
    ['a.rst', 'rst'],
    ['a.asciidoc', 'asciidoc'],
    ['a.ipynb', 'notebook'],
    ['a.htm', 'html'],
    ['a.txt', 'text'],
    ['a.pdf', null],
    ['docs.md/file', null],
    ['md', null],
    ['', null],
  ] as const)
    expect([path, formatOf(path)]).toEqual([path, expected])
})

test('tells rst in a .txt file by its text, and never in a file of another extension', () => {
  const rst = 'Title\n=====\n\n.. note:: A\n'
  expect(formatOf('a.txt', rst)).toBe('rst')
  expect(formatOf('a.txt', 'words')).toBe('text')
  expect(formatOf('a.md', rst)).toBe('markdown')
})

test('tells the format of included files, also of some that are no pages', () => {
  expect(includedFormatOf('a.asc')).toBe('asciidoc')
  expect(includedFormatOf('a.md')).toBe('markdown')
  expect(includedFormatOf('a.py')).toBeNull()
  expect(formatOf('a.asc')).toBeNull()
})

test('tells the format that a media type names', () => {
  expect(formatOfMediaType('application/xhtml+xml')).toBe('html')
  expect(formatOfMediaType('application/json')).toBeNull()
  expect(formatOfMediaType('')).toBeNull()
})

test('removes the extensions of pages and no others', () => {
  expect(withoutPageExtension('a/b.RST')).toBe('a/b')
  expect(withoutPageExtension('a/v1.2')).toBe('a/v1.2')
  expect(withoutPageExtension('a.md/b')).toBe('a.md/b')
})
