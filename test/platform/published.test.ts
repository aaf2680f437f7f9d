import { expect, test } from 'bun:test'
import { publishedRelease } from '../../src/platform/published.ts'

test('accepts a release without targets and rejects null fields', () => {
  const release = { format: 1, name: 'og', version: '1.0.0', commit: 'c', date: 'd' }
  const empty = { ...release, targets: {}, missing: {} }
  expect(publishedRelease.parse(empty)).toEqual(empty as typeof empty & { format: 1 })
  for (const changed of [{ targets: null }, { missing: null }, { version: null }]) {
    expect(publishedRelease.safeParse({ ...empty, ...changed }).success).toBe(false)
  }
})
