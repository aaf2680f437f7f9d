import { expect, test } from 'bun:test'
import { toCallResult, errorText, errorResult } from '../../src/mcp/tool-result.ts'
import { OgError } from '../../src/platform/error.ts'

test('returns text, a separate note, data, and links if supported', () => {
  const answer = { text: 'found', structured: { n: 1 }, note: 'but', links: [] }
  expect(toCallResult(answer, { hasLinks: true })).toEqual({
    content: [
      { type: 'text', text: 'found' },
      { type: 'text', text: 'but' },
    ],
    structuredContent: { n: 1 },
  })
  const links = [{ uri: 'og://a/1/b', name: 'b', title: 'B', mimeType: 'text/markdown' as const }]
  const linked = { text: '', structured: {}, links }
  expect(toCallResult(linked, { hasLinks: true }).content.at(-1)).toMatchObject(links[0]!)
  expect(toCallResult(linked, { hasLinks: false }).content).toHaveLength(1)
})

test('escapes control characters in text but not in data', () => {
  const text = 'a\x1b]0;title\x07\n\u202eb'
  const result = toCallResult({ text, structured: { text }, note: text }, { hasLinks: false })
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
