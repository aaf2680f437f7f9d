import { expect, test } from 'bun:test'
import {
  allotTokens,
  approximateTokens,
  newestPart,
  oldestPart,
} from '../../../src/memory/bootstrap/bootstrap.ts'

test('gives short files all they need and divides the rest among long ones', () => {
  expect(allotTokens([10, 20], 100)).toEqual([10, 20])
  expect(allotTokens([1000, 10, 1000], 100)).toEqual([45, 10, 45])
  expect(allotTokens([50, 50], 0)).toEqual([0, 0])
  expect(allotTokens([], 100)).toEqual([])
})

test('keeps a part within its limit, with its notice and whole lines', () => {
  const text = Array.from({ length: 100 }, (_, i) => `line ${i}`).join('\n')
  const newest = newestPart(text, 200)
  expect(newest.length).toBeLessThanOrEqual(200)
  expect(newest).toMatch(/^\[TRUNCATED - earlier[^\n]*\]\n\nline \d+\n[^]*line 99$/)
  const oldest = oldestPart(text, 200)
  expect(oldest.length).toBeLessThanOrEqual(200)
  expect(oldest).toMatch(/^line 0\n[^]*line \d+\n\n\[TRUNCATED - the rest[^\n]*\]$/)
  for (const part of [newestPart, oldestPart]) expect(part('short', 5)).toBe('short')
})

test('starts the newest part at an entry if one is near', () => {
  const text = `${'old\n'.repeat(200)}## 10:00\n\n${'new\n'.repeat(30)}`
  expect(newestPart(text, 250)).toMatch(/\]\n\n## 10:00\n\nnew/)
})

test('counts four characters as a token, and at least one token', () => {
  expect(['', 'abc', 'abcd', 'a'.repeat(9)].map(approximateTokens)).toEqual([1, 1, 1, 2])
})
