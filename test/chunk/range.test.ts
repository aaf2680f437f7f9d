import { expect, test } from 'bun:test'
import { isSpace, overlap, trimRange, without } from '../../src/chunk/range.ts'

test('treats the same characters as whitespace as String.trim', () => {
  for (let unit = 0; unit <= 0xffff; unit++) {
    if (isSpace(unit) !== (String.fromCharCode(unit).trim() === '')) throw new Error(`unit ${unit}`)
  }
})

test('trims the whitespace at the ends of a range', () => {
  expect(trimRange('a \n b\t c', { start: 1, end: 6 })).toEqual({ start: 4, end: 5 })
  expect(trimRange('a   b', { start: 1, end: 4 }).start).toBe(4)
})

test('measures the overlap of two ranges, and the rest of one', () => {
  expect(overlap({ start: 0, end: 5 }, { start: 3, end: 9 })).toBe(2)
  expect(overlap({ start: 0, end: 5 }, { start: 5, end: 9 })).toBe(0)
  expect(without({ start: 0, end: 9 }, { start: 3, end: 5 })).toEqual([
    { start: 0, end: 3 },
    { start: 5, end: 9 },
  ])
  expect(without({ start: 0, end: 3 }, { start: 0, end: 5 })).toEqual([])
})
