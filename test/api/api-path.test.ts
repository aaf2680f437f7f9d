import { expect, test } from 'bun:test'
import { apiPagePath, isApiPagePath, markGuides } from '../../src/api/api-path.ts'

test('recognises pages of the API reference by their paths', () => {
  expect(apiPagePath('lamp/wick.py', 3)).toBe('lamp/wick.py#L3')
  expect(apiPagePath('lamp/wick.py', 3, 1)).toBe('lamp/wick.py#L3C1')
  expect(['a.py#L3', 'a.py#L3C1', 'a.md', 'a.md#install', 'a#L'].filter(isApiPagePath)).toEqual([
    'a.py#L3',
    'a.py#L3C1',
  ])
})

test('marks guides if there are pages of both kinds', () => {
  expect(markGuides(['a.md', 'a.md', 'a.py#L3', 'b.md'])).toEqual(Uint8Array.of(1, 1, 0, 1))
  expect(markGuides(['a.md', 'b.md'])).toBeNull()
  expect(markGuides(['a.py#L3'])).toBeNull()
})
