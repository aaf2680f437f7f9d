import { expect, test } from 'bun:test'
import {
  decodeText,
  firstCharacters,
  mainLineEnd,
  linesWithEnds,
  countCharacters,
  convertLineEnds,
} from '../../src/memory/text.ts'

test('joining the split lines restores the text', () => {
  for (const text of ['', 'a', 'a\n', '\n', 'a\r\nb', 'a\n\nb\n', '\r']) {
    expect(linesWithEnds(text).join('')).toBe(text)
  }
  expect(linesWithEnds('a\r\nb\n\nc')).toEqual(['a\r\n', 'b\n', '\n', 'c'])
})

test('detects the majority line ending', () => {
  expect(['', 'a', 'a\n', 'a\r\nb\r\nc\n', 'a\r\nb\n'].map(mainLineEnd)).toEqual([
    '\n',
    '\n',
    '\n',
    '\r\n',
    '\n',
  ])
  expect(convertLineEnds('a\rb\r\nc\n', '\n')).toBe('a\nb\nc\n')
  expect(convertLineEnds('a\rb\r\nc\n', '\r\n')).toBe('a\r\nb\r\nc\r\n')
})

test('counts code points and never splits one', () => {
  expect(countCharacters('a🦫é')).toBe(3)
  expect(firstCharacters('🦫🦫b', 2)).toBe('🦫🦫')
  expect(firstCharacters('ab', 0)).toBe('')
})

test('rejects bytes that are not UTF-8, and keeps a byte order mark', () => {
  expect(decodeText(Buffer.from('\ufeffé'), 'a.md')).toBe('\ufeffé')
  expect(() => decodeText(new Uint8Array([0xff]), 'a.md')).toThrow(
    'Cannot read a.md: it is not UTF-8',
  )
})
