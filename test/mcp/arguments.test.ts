import { expect, test } from 'bun:test'
import { z } from 'zod'
import { readArguments } from '../../src/mcp/arguments.ts'
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
