import { expect, test } from 'bun:test'
import { get } from '../../src/operation/get.ts'
import { pageSchema } from '../../src/operation/get-schema.ts'

test('the schema accepts an answer without a page', () => {
  const json = get.json({ value: { page: null, part: null, nearest: ['doc:/a.md'] }, notes: [] })
  expect(pageSchema.parse(json)).toEqual(json)
})
