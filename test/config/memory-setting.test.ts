import { expect, test } from 'bun:test'
import {
  allowedMemoryValue,
  memorySettings,
  memoryVariable,
  parseMemorySetting,
} from '../../src/config/memory-setting.ts'

function check(key: string, raw: unknown, expected: unknown) {
  const { kind } = memorySettings.find((setting) => setting.key === key)!
  expect(parseMemorySetting(kind, raw)).toEqual(expected)
}

test('values of each kind', () => {
  check('search.vector_weight', '0.5', 0.5)
  check('search.vector_weight', 2, undefined)
  check('search.top_k', '6.5', undefined)
  check('search.top_k', '', undefined)
  check('dispatcher_mode', 'True', true)
  check('dispatcher_mode', 'maybe', undefined)
  check('embedding.provider', 'OpenAI', 'openai')
  check('embedding.provider', 'cohere', undefined)
  check('bootstrap.compaction_tiers', 'MEMORY.md, USER.md', ['MEMORY.md', 'USER.md'])
  check('bootstrap.compaction_tiers', '["A"]', ['A'])
  check('bootstrap.compaction_tiers', '[oops', undefined)
  check('bootstrap.compaction_tiers', [1], undefined)
  check('custom_files', '[{"name":"a.md"}]', [{ name: 'a.md' }])
  check('custom_files', 'a.md', undefined)
  check('mcp.host', 7, '7')
})

test('every default is allowed, every kind says what it takes', () => {
  for (const { key, kind, default: fallback } of memorySettings) {
    if (fallback !== null) check(key, fallback, fallback)
    expect(allowedMemoryValue(kind)).not.toBe('')
  }
  expect(memoryVariable('mcp.api_key')).toBe('GROUNDMEMORY_MCP__API_KEY')
})
