import { expect, test } from 'bun:test'
import { formatBracketedList, lineFinder, onOneLine, truncateCode } from '../../src/api/syntax.ts'

test('finds the line number of an offset', () => {
  const lineOf = lineFinder('a\nbc\n\nd')
  expect([0, 1, 2, 4, 5, 6].map(lineOf)).toEqual([1, 1, 2, 2, 3, 4])
})

test('breaks a parameter list that is too long for one line', () => {
  expect(formatBracketedList('f', ['a', 'b'], ' -> c')).toBe('f(a, b) -> c')
  expect(formatBracketedList('f', ['a'.repeat(90)], '')).toBe(`f(\n    ${'a'.repeat(90)},\n)`)
})

test('shortens code to one line', () => {
  expect(onOneLine(' a\n  b ')).toBe('a b')
  expect(truncateCode('a'.repeat(130))).toBe(`${'a'.repeat(119)}…`)
})
