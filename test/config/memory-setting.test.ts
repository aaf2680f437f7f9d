import { expect, test } from 'bun:test'
import { memorySettings, memoryVariable } from '../../src/config/memory-setting.ts'
import { parseValue } from '../../src/config/setting.ts'

function check(key: string, raw: unknown, expected: unknown) {
  const { kind } = memorySettings.find((setting) => setting.key === key)!
  expect(parseValue(kind, raw)).toEqual(expected)
}

test('accepts the same values as upstream', () => {
  check('search.vector_weight', '0.5', 0.5)
  check('search.vector_weight', 2, undefined)
  check('search.top_k', '6.5', undefined)
  check('dispatcher_mode', 'True', true)
  check('embedding.provider', 'OpenAI', 'openai')
  check('embedding.provider', 'cohere', undefined)
  check('bootstrap.compaction_tiers', 'MEMORY.md, USER.md', ['MEMORY.md', 'USER.md'])
  check('custom_files', '[{"name":"a.md"}]', [{ name: 'a.md' }])
  check('mcp.host', 7, '7')
})

test("uses upstream's variable names, and declares every key once", () => {
  expect(memoryVariable('mcp.api_key')).toBe('GROUNDMEMORY_MCP__API_KEY')
  const names = memorySettings.flatMap(({ key, aliases = [] }) => [key, ...aliases])
  expect(names.length).toBe(new Set(names).size)
})
