import { expect, test } from 'bun:test'
import { lineAt, lineFrom, linesOf } from '../../src/chunk/line.ts'

test('indents count tabs to the next multiple of 4; blank lines have none', () => {
  expect(linesOf('a\n  b\n \tc\n \u00a0\n\nd').indents).toEqual([0, 2, 4, -1, -1, 0])
})

test('a closing line break begins no line', () => {
  expect(linesOf('a\nb\n').starts).toEqual([0, 2, 4])
})

test('lines by offset', () => {
  const lines = linesOf('ab\n\ncd')
  expect([0, 1, 2, 3, 4, 5].map((offset) => lineAt(lines, offset))).toEqual([0, 0, 0, 1, 2, 2])
  expect([0, 1, 3, 4, 5, 6].map((offset) => lineFrom(lines, offset))).toEqual([0, 1, 1, 2, 3, 3])
})
