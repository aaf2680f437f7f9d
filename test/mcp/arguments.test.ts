import { expect, test } from 'bun:test'
import { z } from 'zod'
import { readArguments, operationArguments } from '../../src/mcp/arguments.ts'
import { defineTool } from '../../src/mcp/docs/docs-tool.ts'
import { readOnlyAnnotations } from '../../src/mcp/tool.ts'

const sample = defineTool({
  name: 'sample_tool',
  title: 'Sample',
  description: '',
  input: z.strictObject({
    query: z.string().min(1),
    limit: z.int().min(1).max(50).optional(),
    library_name: z.string().optional(),
  }),
  output: z.object({}),
  annotations: readOnlyAnnotations,
  run: async () => ({ text: '', structured: {} }),
})

function check(given: Record<string, unknown>, expected: object): void {
  expect(readArguments(sample, given)).toEqual(expected as never)
}

test('treats null and "" as omitted and parses numbers given as text', () => {
  check({ query: 'q' }, { values: { query: 'q' } })
  check({ query: 'q', limit: null, library_name: '' }, { values: { query: 'q' } })
  check({ query: 'q', limit: ' 7 ' }, { values: { query: 'q', limit: 7 } })
  check({ query: '12' }, { values: { query: '12' } })
})

test('accepts one text for a list of texts', () => {
  const listed = { ...sample, input: z.strictObject({ docs_path: z.array(z.string()).optional() }) }
  const values = (docs_path: unknown) => readArguments(listed, { docs_path })
  expect(values('docs')).toEqual({ values: { docs_path: ['docs'] } })
  expect(values('["a", "b"]')).toEqual({ values: { docs_path: ['a', 'b'] } })
  expect(values('')).toEqual({ values: {} })
})

test('reports a missing argument with its description', () => {
  const described = { ...sample, input: z.strictObject({ file: z.string().describe('which') }) }
  expect(readArguments(described, {})).toEqual({
    problem: 'Cannot call sample_tool: file is missing (which)',
  })
})

test('rejects invalid arguments and says how to correct them', () => {
  check({}, { problem: 'Cannot call sample_tool: query is missing' })
  check(
    { query: 'q', librery: 'x' },
    { problem: 'Unknown argument "librery" of sample_tool: it takes query, limit, library_name' },
  )
  check(
    { query: 'q', libary_name: 'x' },
    { problem: 'Unknown argument "libary_name" of sample_tool: did you mean "library_name"?' },
  )
  check(
    { query: 'q', limit: 0 },
    { problem: 'Cannot call sample_tool: limit is 0: too small: expected number to be >=1' },
  )
  check(
    { query: '', limit: 'many' },
    {
      problem:
        'Cannot call sample_tool: query is "": too small: expected string to have >=1 characters; ' +
        'limit is "many": invalid input: expected number, received string',
    },
  )
})

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
