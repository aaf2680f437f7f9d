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

test('marks guides if there are many and an API reference', () => {
  const guides = Array.from({ length: 60 }, (_, i) => `${i}.md`)
  expect(markGuides(['0.md', 'a.py#L3', ...guides])?.slice(0, 4)).toEqual(Uint8Array.of(1, 0, 1, 1))
  expect(markGuides(guides)).toBeNull()
  expect(markGuides(['0.md', 'a.py#L3', 'a.py#L9'])).toBeNull()
  expect(markGuides(['a.py#L3'])).toBeNull()
})
