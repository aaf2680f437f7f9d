import { expect, test } from 'bun:test'
import {
  addFields,
  sourceFields,
  lockTimeoutMs,
  publishFields,
} from '../../../src/operation/add/add-fields.ts'
import { addInput } from '../../support/why.ts'

test('add has all fields of a source', () => {
  expect(Object.keys(addInput).sort()).toEqual(Object.keys(addFields).sort())
  for (const field of Object.keys(sourceFields)) expect(addFields).toHaveProperty(field)
})

test('converts a lock timeout to milliseconds and defaults to ten minutes', () => {
  expect(lockTimeoutMs({ lock_timeout: 2 })).toBe(2_000)
  expect(lockTimeoutMs({ lock_timeout: 0 })).toBe(0)
  expect(lockTimeoutMs({ lock_timeout: null })).toBe(600_000)
})

test('operations that publish also have a lock timeout', () => {
  expect(Object.keys(publishFields)).toEqual(['min_health', 'lock_timeout'])
})
