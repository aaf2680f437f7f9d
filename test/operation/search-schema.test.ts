import { expect, test } from 'bun:test'
import { nothingSearched } from '../../src/library/search/search.ts'
import { search } from '../../src/operation/search.ts'
import { hitSchema, searchSchema } from '../../src/operation/search-schema.ts'
import { plainHit } from '../support/why.ts'

test('the schema describes every key of a hit and of an answer', () => {
  const value = {
    ...nothingSearched,
    query: 'q',
    library: null,
    version: null,
    filter: {},
    hits: [plainHit],
  }
  const json = search.json({ value, notes: [{ kind: 'omitted', hits: 2 }] })
  expect(Object.keys(json.hits[0]!)).toEqual(Object.keys(hitSchema.shape))
  const { version_from: _, ...described } = json
  expect(Object.keys(described)).toEqual(Object.keys(searchSchema.shape))
  expect(searchSchema.parse(json)).toEqual(described)
})
