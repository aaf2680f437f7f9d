import { expect, test } from 'bun:test'
import {
  decodeText,
  firstCharacters,
  lineEnd,
  linesWithEnds,
  nCharacters,
  withLineEnds,
} from '../../src/memory/text.ts'

test('lines with their ends are the text again', () => {
  for (const text of ['', 'a', 'a\n', '\n', 'a\r\nb', 'a\n\nb\n', '\r']) {
    expect(linesWithEnds(text).join('')).toBe(text)
  }
  expect(linesWithEnds('a\r\nb\n\nc')).toEqual(['a\r\n', 'b\n', '\n', 'c'])
})

test('most lines decide how a text ends its lines', () => {
  expect(['', 'a', 'a\n', 'a\r\nb\r\nc\n', 'a\r\nb\n'].map(lineEnd)).toEqual([
    '\n',
    '\n',
    '\n',
    '\r\n',
    '\n',
  ])
  expect(withLineEnds('a\rb\r\nc\n', '\n')).toBe('a\nb\nc\n')
  expect(withLineEnds('a\rb\r\nc\n', '\r\n')).toBe('a\r\nb\r\nc\r\n')
})

test('characters are code points, none of them cut', () => {
  expect(nCharacters('a🦫é')).toBe(3)
  expect(firstCharacters('🦫🦫b', 2)).toBe('🦫🦫')
  expect(firstCharacters('ab', 0)).toBe('')
})

test('bytes that are no UTF-8 are refused, a mark is kept', () => {
  expect(decodeText(Buffer.from('\ufeffé'), 'a.md')).toBe('\ufeffé')
  expect(() => decodeText(new Uint8Array([0xff]), 'a.md')).toThrow(
    'Cannot read a.md: it is not UTF-8',
  )
})
