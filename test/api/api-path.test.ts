import { expect, test } from 'bun:test'
import { apiPagePath, isApiPagePath } from '../../src/api/api-path.ts'

test('recognises pages of the API reference by their paths', () => {
  expect(apiPagePath('lamp/wick.py', 3)).toBe('lamp/wick.py#L3')
  expect(apiPagePath('lamp/wick.py', 3, 1)).toBe('lamp/wick.py#L3C1')
  expect(['a.py#L3', 'a.py#L3C1', 'a.md', 'a.md#install', 'a#L'].filter(isApiPagePath)).toEqual([
    'a.py#L3',
    'a.py#L3C1',
  ])
})
