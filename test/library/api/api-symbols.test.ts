import { expect, test } from 'bun:test'
import { noApiError } from '../../../src/library/api/api-symbols.ts'

// test/e2e/sources/api.test.ts tests the lists and comparisons of an indexed library.
test('explains how a library gets an API reference', () => {
  const { message, hint } = noApiError('lamp', '1.0')
  expect([message, hint]).toEqual([
    'Library "lamp" version "1.0" has no API reference',
    'og add --api with reads the source files of packages of Python, npm, Rust, Java and Go',
  ])
})
