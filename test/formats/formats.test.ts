import { expect, test } from 'bun:test'
import {
  formatOf,
  formatOfMediaType,
  formats,
  includedFormatOf,
  pageExtensions,
  withoutPageExtension,
} from '../../src/formats/formats.ts'

test('assigns each extension and media type to exactly one format', () => {
  const all = Object.values(formats)
  const own = all.flatMap(({ extensions, mediaTypes }) => [...extensions, ...mediaTypes])
  expect(new Set(own).size).toBe(own.length)
  const named = [...own, ...all.flatMap(({ sharedTypes = [] }) => sharedTypes)]
  expect(pageExtensions).toEqual(all.flatMap(({ extensions }) => extensions))
  for (const name of named) expect(name).toMatch(/^(?:\.[a-z1-8]+|\.[1-8]\.gz|[a-z]+\/[a-z.+-]+)$/)
})

test('detects the format of a file by its extension', () => {
  for (const [path, expected] of [
    ['a/b.md', 'markdown'],
    ['A.MDX', 'mdx'],
    ['a.rst', 'rst'],
    ['a.asciidoc', 'asciidoc'],
    ['a.ipynb', 'notebook'],
    ['a.htm', 'html'],
    ['a.txt', 'text'],
    ['api/openapi.yaml', 'openapi'],
    ['swagger/a.json', 'openapi'],
    ['package.json', null],
    ['man/tar.1', 'man'],
    ['md5.1', 'man'],
    ['man1/tar.1.gz', 'compressed man'],
    ['tar.gz', null],
    ['v1.2.gz', null],
    ['libz.so.1', null],
    ['notes-1.2', null],
    ['v1.2', null],
    ['a.org', 'org'],
    ['man/across.Rd', 'rd'],
    ['lib/Mojo.pm', 'pod'],
    ['a.epub', 'epub'],
    ['a.docx', 'docx'],
    ['a.pdf', 'pdf'],
    ['docs.md/file', null],
    ['md', null],
    ['', null],
  ] as const)
    expect([path, formatOf(path)]).toEqual([path, expected])
})

test('detects rst by its text, but only in .txt files', () => {
  const rst = 'Title\n=====\n\n.. note:: A\n'
  expect(formatOf('a.txt', rst)).toBe('rst')
  expect(formatOf('a.txt', 'words')).toBe('text')
  expect(formatOf('a.md', rst)).toBe('markdown')
})

test('detects the format of included files, even of files that are not pages', () => {
  expect(includedFormatOf('a.asc')).toBe('asciidoc')
  expect(includedFormatOf('a.md')).toBe('markdown')
  expect(includedFormatOf('a.py')).toBeNull()
  expect(formatOf('a.asc')).toBeNull()
})

test('detects the format of a media type', () => {
  expect(formatOfMediaType('application/xhtml+xml')).toBe('html')
  expect(formatOfMediaType('application/json')).toBeNull()
  expect(formatOfMediaType('')).toBeNull()
})

test('removes page extensions and keeps other extensions', () => {
  expect(withoutPageExtension('a/b.RST')).toBe('a/b')
  expect(withoutPageExtension('a/v1.2')).toBe('a/v1.2')
  expect(withoutPageExtension('a.md/b')).toBe('a.md/b')
})
