import { expect, test } from 'bun:test'
import { operationArguments } from '../../src/mcp/operation-input.ts'

const fields = {
  query: { type: 'text', maxLength: 10, required: true, doc: 'a question' },
  library: { type: 'text', maxLength: 10, doc: 'a library' },
  limit: { type: 'whole', min: 1, max: 1000, doc: 'a number' },
  strict: { type: 'switch', doc: 'be strict' },
} as const

test('arguments of a tool are the fields of an operation under upstream names', () => {
  const { schema, input } = operationArguments(fields, {
    library: { name: 'library_name' }, limit: { max: 50 },
  })
  expect(Object.keys(schema.shape)).toEqual(['query', 'library_name', 'limit', 'strict'])
  const given = schema.parse({ query: ' a ', library_name: 'vite', limit: 50 })
  expect(input(given)).toEqual({ query: 'a', library: 'vite', limit: 50, strict: false })
  expect(input(schema.parse({ query: 'a' }))).toMatchObject({ library: null, limit: null })
  expect(() => schema.parse({ query: ' ' })).toThrow()
  expect(() => schema.parse({ query: 'a', limit: 51 })).toThrow()
})
