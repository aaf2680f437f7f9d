import { expect, test } from 'bun:test'
import { lineAt, firstLineFrom, indexLines } from '../../src/chunk/line.ts'

test('expands tabs to multiples of 4, and returns an indent of -1 for blank lines', () => {
  expect(indexLines('a\n  b\n \tc\n \u00a0\n\nd').indents).toEqual([0, 2, 4, -1, -1, 0])
})

test('does not start a line after the final line break', () => {
  expect(indexLines('a\nb\n').starts).toEqual([0, 2, 4])
})

test('finds lines by offset', () => {
  const lines = indexLines('ab\n\ncd')
  expect([0, 1, 2, 3, 4, 5].map((offset) => lineAt(lines, offset))).toEqual([0, 0, 0, 1, 2, 2])
  expect([0, 1, 3, 4, 5, 6].map((offset) => firstLineFrom(lines, offset))).toEqual([
    0, 1, 1, 2, 3, 3,
  ])
})
