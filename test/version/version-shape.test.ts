import { expect, test } from 'bun:test'
import { isDated, versionParts } from '../../src/version/version-shape.ts'

test('dates are told from releases', () => {
  expect(['2026-01-31', 'local-2026-01-31'].every(isDated)).toBe(true)
  expect(['2026.1', '1.0.0-2026', 'latest'].some(isDated)).toBe(false)
})

test('a list has parts; a range with commas, or a label that has one, does not', () => {
  expect(versionParts('1.0, 2.0,,1.0', [])).toEqual(['1.0', '2.0'])
  expect(versionParts('>=1,<2', [])).toEqual([])
  expect(versionParts('a,b', ['a,b'])).toEqual([])
  expect(versionParts('1.0', [])).toEqual([])
})
