import { expect, test } from 'bun:test'
import { libraryJson } from '../../src/operation/library.ts'
import { libraryJsonMatches, librarySchema } from '../../src/operation/library-schema.ts'
import { kettle } from '../support/why.ts'

test('accepts a version with and without its size', () => {
  const sizes = { bytes: null, previousBytes: 0, previous: null, embedded: null, stale: [] }
  for (const one of [kettle, { ...kettle, ...sizes }]) {
    const json = libraryJsonMatches(libraryJson(one))
    expect(librarySchema.strict().parse(json)).toEqual(json)
  }
})
