import { expect, test } from 'bun:test'
import { z } from 'zod'
import { operationArguments } from '../../src/mcp/operation-input.ts'

const fields = {
  query: { type: 'text', maxLength: 10, required: true, doc: 'a question' },
  library: { type: 'text', maxLength: 10, doc: 'a library' },
  limit: { type: 'whole', min: 1, max: 1000, doc: 'a number' },
  strict: { type: 'switch', doc: 'be strict' },
} as const

test("maps an operation's fields to arguments with upstream's names", () => {
  const { schema, input } = operationArguments(fields, {
    library: { name: 'library_name' },
    limit: { max: 50 },
  })
  expect(Object.keys(schema.shape)).toEqual(['query', 'library_name', 'limit', 'strict'])
  const given = schema.parse({ query: ' a ', library_name: 'vite', limit: 50 })
  expect(input(given)).toEqual({ query: 'a', library: 'vite', limit: 50, strict: false })
  expect(input(schema.parse({ query: 'a' }))).toMatchObject({ library: null, limit: null })
  expect(() => schema.parse({ query: ' ' })).toThrow()
  expect(() => schema.parse({ query: 'a', limit: 51 })).toThrow()
})

test('supports lists, numbers and blank texts', () => {
  const { schema, input, blanks } = operationArguments({
    tags: { type: 'texts', doc: 'tags' },
    rate: { type: 'number', min: 0, max: 1, doc: 'a rate' },
    text: { type: 'text', required: true, blank: true, doc: 'a text' },
  })
  expect(blanks).toEqual(['text'])
  expect(input(schema.parse({ text: '' }))).toEqual({ tags: [], rate: null, text: '' })
  for (const wrong of [{ tags: 'x' }, { rate: 2 }, { text: undefined }]) {
    expect(schema.safeParse({ text: '', ...wrong }).success).toBe(false)
  }
})

test('splits a text at commas into a list if the schema has to be flat', () => {
  const { schema, input } = operationArguments(
    { docs_path: { type: 'texts', doc: 'a folder' } },
    { docs_path: { isCommaSeparated: true } },
  )
  expect(schema.shape.docs_path!.description).toBe('a folder; separate several by commas')
  const paths = (given: object) => input(schema.parse(given)).docs_path
  expect(paths({ docs_path: 'docs, guide/{a,b}' })).toEqual(['docs', 'guide/{a,b}'])
  expect(paths({})).toEqual([])
  expect(schema.safeParse({ docs_path: ['docs'] }).success).toBe(false)
})

test('publishes the bounds of a hint, choices and suggestions without enforcing them', () => {
  const { schema } = operationArguments(
    {
      line: { type: 'whole', min: 1, max: 9, doc: 'a line' },
      mode: { type: 'text', choices: ['a', 'b'], doc: 'a mode' },
      file: { type: 'text', suggested: ['c'], doc: 'a file' },
    },
    { line: { isHint: true } },
  )
  expect(schema.parse({ line: 0, mode: 'c', file: 'd' })).toEqual({ line: 0, mode: 'c', file: 'd' })
  expect(z.toJSONSchema(schema, { io: 'input' }).properties).toEqual({
    line: { type: 'integer', minimum: 1, maximum: 9, description: 'a line' },
    mode: { type: 'string', enum: ['a', 'b'], description: 'a mode' },
    file: { type: 'string', enum: ['c'], description: 'a file' },
  })
})
