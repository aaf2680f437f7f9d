import { expect, test } from 'bun:test'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { readStats, recordToolCall, resetStats } from '../../src/library/stats.ts'
import { createTempFolder } from '../../src/platform/file/files.ts'
import { openEach } from '../support/run/dispose.ts'

const temp = openEach(() => createTempFolder('og stats'))
const path = () => join(temp().path, 'openground', 'stats.json')

/** Records calls in a file with the given text, and checks its new content. */
async function check(before: string | null, after: unknown): Promise<void> {
  mkdirSync(dirname(path()), { recursive: true })
  if (before !== null) writeFileSync(path(), before)
  expect(await recordToolCall(path(), counted)).toBe(null)
  expect(JSON.parse(readFileSync(path(), 'utf8'))).toEqual(after)
}

const counted = { list_libraries_tool: 1, search_documents_tool: 2 }

test("adds calls to upstream's statistics file", async () => {
  await check(null, { tool_calls: counted })
  await check('', { tool_calls: counted })
  await check('{"tool_calls":{"search_documents_tool":5,"x":1},"since":"2025"}', {
    tool_calls: { search_documents_tool: 7, x: 1, list_libraries_tool: 1 },
    since: '2025',
  })
  await check('{"tool_calls":{"search_documents_tool":"many","x":-1}}', { tool_calls: counted })
})

test('moves a corrupt file aside and never makes a call fail (W-32)', async () => {
  for (const text of ['{"tool_calls": {', '[1]', '{"tool_calls": 5}']) {
    await check(text, { tool_calls: counted })
    expect(readFileSync(`${path()}.broken`, 'utf8')).toBe(text)
  }
  writeFileSync(path(), 'x')
  expect((await readStats(path())).problem!.message).toContain('not a statistics file')
  expect(readFileSync(path(), 'utf8')).toBe('x')
  await resetStats(path())
  expect(Object.values((await readStats(path())).toolCalls)).toEqual([0, 0, 0])
})

test('loses no calls when two processes record at the same time (W-32)', async () => {
  const script = `import { recordToolCall } from './src/library/stats.ts'
    for (let i = 0; i < 20; i++) await recordToolCall(process.argv[1], { x: 1 })`
  const root = join(import.meta.dirname, '../..')
  const start = () => Bun.spawn([process.execPath, '-e', script, path()], { cwd: root }).exited
  expect(await Promise.all([start(), start()])).toEqual([0, 0])
  expect((await readStats(path())).toolCalls).toEqual({ x: 40 })
  expect(readdirSync(dirname(path())).sort()).toEqual(['stats.json', 'stats.json.lock'])
})

test('returns a problem instead of throwing if the file cannot be written', async () => {
  writeFileSync(join(temp().path, 'file'), '')
  const problem = await recordToolCall(join(temp().path, 'file', 'stats.json'), counted)
  expect(problem!.message).toStartWith('Cannot write the statistics')
  expect(await readStats(join(temp().path, 'file', 'stats.json'))).toEqual({
    toolCalls: {},
    problem: null,
  })
})
