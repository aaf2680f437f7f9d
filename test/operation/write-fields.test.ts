import { expect, test } from 'bun:test'
import { lockTimeoutMs, publishFields } from '../../src/operation/write-fields.ts'

test('converts a lock timeout to milliseconds and defaults to ten minutes', () => {
  expect(lockTimeoutMs({ lock_timeout: 2 })).toBe(2_000)
  expect(lockTimeoutMs({ lock_timeout: 0 })).toBe(0)
  expect(lockTimeoutMs({ lock_timeout: null })).toBe(600_000)
})

test('operations that publish also have a lock timeout', () => {
  expect(Object.keys(publishFields)).toEqual(['min_health', 'lock_timeout'])
})
