import { expect, test } from 'bun:test'
import { addFields, sourceFields } from '../../../src/operation/add/add-fields.ts'
import { addInput } from '../../support/why.ts'

test('add has all fields of a source', () => {
  expect(Object.keys(addInput).sort()).toEqual(Object.keys(addFields).sort())
  for (const field of Object.keys(sourceFields)) expect(addFields).toHaveProperty(field)
})
