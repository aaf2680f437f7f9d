import { expect, test } from 'bun:test'
import { isDateVersion, versionParts } from '../../src/version/release.ts'

test('distinguishes dates from releases', () => {
  expect(['2026-01-31', 'local-2026-01-31'].every(isDateVersion)).toBe(true)
  expect(['2026.1', '1.0.0-2026', 'latest'].some(isDateVersion)).toBe(false)
})

test('splits a list, but not a range or label with commas', () => {
  expect(versionParts('1.0, 2.0,,1.0', [])).toEqual(['1.0', '2.0'])
  expect(versionParts('>=1,<2', [])).toEqual([])
  expect(versionParts('a,b', ['a,b'])).toEqual([])
  expect(versionParts('1.0', [])).toEqual([])
})
