import { expect, test } from 'bun:test'
import {
  allotCharacters,
  approximateTokens,
  keepNewestPart,
  keepOldestPart,
} from '../../../src/memory/bootstrap/bootstrap.ts'

test('gives short files all they need and divides the rest among long ones', () => {
  expect(allotCharacters([10, 20], 100)).toEqual([10, 20])
  expect(allotCharacters([1000, 10, 1000], 100)).toEqual([45, 10, 45])
  expect(allotCharacters([50, 50], 0)).toEqual([0, 0])
  expect(allotCharacters([], 100)).toEqual([])
})

test('keeps a part within its limit, with its notice and whole lines', () => {
  const text = Array.from({ length: 100 }, (_, i) => `line ${i}`).join('\n')
  const newest = keepNewestPart(text, 200)
  expect(newest.length).toBeLessThanOrEqual(200)
  expect(newest).toMatch(/^\[TRUNCATED - earlier[^\n]*\]\n\nline \d+\n[^]*line 99$/)
  const oldest = keepOldestPart(text, 200)
  expect(oldest.length).toBeLessThanOrEqual(200)
  expect(oldest).toMatch(/^line 0\n[^]*line \d+\n\n\[TRUNCATED - the rest[^\n]*\]$/)
  for (const part of [keepNewestPart, keepOldestPart]) expect(part('short', 5)).toBe('short')
})

test('starts the newest part at an entry if one is near', () => {
  const text = `${'old\n'.repeat(200)}## 10:00\n\n${'new\n'.repeat(30)}`
  expect(keepNewestPart(text, 250)).toMatch(/\]\n\n## 10:00\n\nnew/)
})

test('counts four characters as a token, and at least one token', () => {
  expect(['', 'abc', 'abcd', 'a'.repeat(9)].map(approximateTokens)).toEqual([1, 1, 1, 2])
})
