import { expect, test } from 'bun:test'
import { toCallResult, errorText, errorResult } from '../../src/mcp/tool.ts'
import { OgError } from '../../src/platform/error.ts'

test('returns text, a separate note, and data if the client shows it', () => {
  const answer = { text: 'found', structured: { n: 1 }, note: 'but' }
  const content = [
    { type: 'text' as const, text: 'found' },
    { type: 'text' as const, text: 'but' },
  ]
  expect(toCallResult(answer, { hasStructure: true })).toEqual({
    content,
    structuredContent: { n: 1 },
  })
  expect(toCallResult(answer, { hasStructure: false })).toEqual({ content })
})

test('escapes control characters in text but not in data', () => {
  const text = 'a\x1b]0;title\x07\n\u202eb'
  const result = toCallResult({ text, structured: { text }, note: text }, { hasStructure: true })
  const block = { type: 'text' as const, text: 'a\\u001b]0;title\\u0007\n\\u202eb' }
  expect(result).toEqual({ content: [block, block], structuredContent: { text } })
  expect(errorResult(text).content).toEqual([block])
})

test('appends the hint and names the tool only for unexpected errors', () => {
  const known = new OgError('No such page', { hint: 'og list' })
  expect(errorText('get', known)).toBe('No such page\nhint: og list')
  expect(errorText('get', new Error('odd'))).toBe("Error calling tool 'get': odd")
  expect(errorResult('x')).toEqual({ content: [{ type: 'text', text: 'x' }], isError: true })
})
