import { beforeEach, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import {
  memoryBootstrapTool,
  memoryListTool,
  memoryReadTool,
  storedTextNotice,
} from '../../../src/mcp/memory/memory-read-tools.ts'
import type { MemoryContext } from '../../../src/mcp/memory/memory-tool.ts'
import type { Call, Tool } from '../../../src/mcp/tool.ts'
import { openMemoryHome } from '../../support/memory/mcp-memory.ts'
import { openEach } from '../../support/run/dispose.ts'

const home = openEach(openMemoryHome)
const context = openEach(() => home().context())
beforeEach(async () => {
  const session = await context().memory.session()
  await session.write({ file: 'MEMORY.md', content: 'The heron eats frogs.', tags: ['bird'] })
  await session.write({ file: 'daily', content: 'Rain on the heron.' })
})

/** Runs a tool and checks its arguments and answer against the schemas. */
async function check(tool: Tool<MemoryContext & Call>, typed: object, expected: object) {
  const { structured, text } = await tool.run(context(), tool.input.parse(typed))
  expect(tool.output.parse(structured)).toEqual(structured)
  expect(structured).toMatchObject({ status: 'ok', ...expected })
  return text
}

test('memory_bootstrap returns the context as plain text', async () => {
  const text = await check(memoryBootstrapTool, {}, { chars: expect.any(Number) })
  expect(text).toStartWith('<!-- groundmemory bootstrap start -->')
  expect(text).toContain('The heron eats frogs.')
  const without = await home().context({
    settings: { BOOTSTRAP__INJECT_LONG_TERM_MEMORY: 'false' },
  })
  const { structured } = await memoryBootstrapTool.run(without, { task: 'what herons eat' })
  expect(structured.content).toContain('The heron eats frogs.')
  expect(structured.chars).toBe((structured.content as string).length)
  expect((await memoryBootstrapTool.run(without, {})).text).not.toContain('frogs')
})

test('memory_read searches by a query with filters', async () => {
  const results = [{ path: 'MEMORY.md', tags: ['bird'], text: expect.stringContaining('frogs') }]
  await check(
    memoryReadTool,
    { query: 'heron frogs', tags: ['bird'] },
    { mode: 'search', notice: storedTextNotice, count: 1, results, next_offset: null },
  )
  await check(memoryReadTool, { query: 'heron', file: 'daily' }, { count: 1, source: 'daily' })
  await check(memoryReadTool, { query: 'heron', top_k: 1 }, { count: 1, next_offset: 1 })
  await check(memoryReadTool, { query: 'heron', since: '2199-01-01' }, { count: 0, results: [] })
})

test('memory_read returns a file or its lines with the hash that memory_compact needs', async () => {
  const text = readFileSync(home().file('MEMORY.md'), 'utf8')
  const hash = new Bun.CryptoHasher('sha256').update(text).digest('hex')
  const { structured } = await memoryReadTool.run(context(), { file: 'MEMORY.md' })
  expect(structured).toMatchObject({
    mode: 'get',
    exists: true,
    content: text,
    notice: storedTextNotice,
  })
  expect(hash).toStartWith(structured.hash as string)
  await check(
    memoryReadTool,
    { file: 'MEMORY.md', start_line: 1, end_line: 1 },
    { content: text.split('\n')[0] + '\n', start_line: 1, end_line: 1 },
  )
})

test('memory_read prefers lines over a query and requires a query or a file', async () => {
  const both = { query: 'heron', file: 'MEMORY.md' }
  await check(memoryReadTool, { ...both, start_line: 1, end_line: 1 }, { mode: 'get' })
  await check(memoryReadTool, both, { mode: 'search', source: 'long_term', count: 1 })
  for (const typed of [{ query: ' ' }, {}, { start_line: 1 }]) {
    await expect(memoryReadTool.run(context(), typed)).rejects.toThrow(
      "Provide either 'query' (search mode) or 'file' (get mode).",
    )
  }
})

test('memory_list lists files with sizes, daily logs, and the beginning of a file', async () => {
  const size = readFileSync(home().file('MEMORY.md')).length
  await check(
    memoryListTool,
    {},
    { files: expect.arrayContaining([{ file: 'MEMORY.md', line_count: 9, size }]) },
  )
  await check(memoryListTool, { target: 'daily' }, { count: 1 })
  await check(
    memoryListTool,
    { file: 'MEMORY.md' },
    { notice: storedTextNotice, preview: expect.arrayContaining(['The heron eats frogs.']) },
  )
  const { structured } = await memoryListTool.run(context(), {})
  expect(structured.notice).toBeUndefined()
})

test('rejects arguments out of bounds', () => {
  const takes = (tool: Tool<never>, typed: object) => tool.input.safeParse(typed).success
  expect(takes(memoryReadTool, { query: 'x'.repeat(20_000), file: 'f'.repeat(1_000) })).toBe(true)
  expect(takes(memoryReadTool, { query: 'x'.repeat(20_001) })).toBe(false)
  expect(takes(memoryReadTool, { offset: -1 })).toBe(false)
  expect(takes(memoryReadTool, { max_tokens: 0 })).toBe(false)
  expect(takes(memoryReadTool, { since: '2026-01-01T00' })).toBe(false)
  expect(takes(memoryBootstrapTool, { task: 'x'.repeat(20_001) })).toBe(false)
  expect(takes(memoryListTool, { file: 'f'.repeat(1_001) })).toBe(false)
  for (const tool of [memoryBootstrapTool, memoryReadTool, memoryListTool]) {
    expect(takes(tool, { more: 1 })).toBe(false)
    expect(tool.annotations).toMatchObject({ readOnlyHint: true, destructiveHint: false })
  }
})
