import { expect, test } from 'bun:test'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openCallCounter } from '../../src/mcp/face.ts'
import { createTempFolder } from '../../src/platform/file/files.ts'
import { connectRaw, openMcpHome } from '../support/mcp.ts'

test('accumulates calls and writes them by the time it is disposed', async () => {
  await using temp = await createTempFolder('og counter')
  const path = join(temp.path, 'stats.json')
  const warnings: string[] = []
  const warn = (line: string) => void warnings.push(line)
  const counters = [openCallCounter(path, { warn }), openCallCounter(path, { warn })]
  for (const counter of counters) for (let i = 0; i < 50; i++) counter.count('a_tool')
  await Promise.all(counters.map((counter) => counter[Symbol.asyncDispose]()))
  expect(JSON.parse(readFileSync(path, 'utf8')).tool_calls.a_tool).toBe(100)
  const soon = openCallCounter(path, { warn, everyMs: 1 })
  soon.count('a_tool')
  const count = () => JSON.parse(readFileSync(path, 'utf8')).tool_calls.a_tool
  while (count() !== 101) await Bun.sleep(5)
  expect(warnings).toEqual([])
})

test('warns once and fails no call if calls cannot be counted', async () => {
  await using temp = await createTempFolder('og counter')
  const file = join(temp.path, 'file')
  writeFileSync(file, '')
  const warnings: string[] = []
  const warn = (line: string) => void warnings.push(line)
  const counter = openCallCounter(join(file, 'stats.json'), { warn, everyMs: 1 })
  counter.count('a_tool')
  while (warnings.length === 0) await Bun.sleep(5)
  counter.count('a_tool')
  await counter[Symbol.asyncDispose]()
  expect(warnings).toHaveLength(1)
  expect(warnings[0]).toContain('Cannot write the statistics')
})

test('adds counts to a later write if a write failed', async () => {
  await using temp = await createTempFolder('og counter')
  const folder = join(temp.path, 'folder')
  writeFileSync(folder, '')
  const path = join(folder, 'stats.json')
  const warnings: string[] = []
  const counter = openCallCounter(path, { warn: (line) => void warnings.push(line), everyMs: 1 })
  counter.count('a_tool')
  while (warnings.length === 0) await Bun.sleep(5)
  rmSync(folder)
  counter.count('a_tool')
  await counter[Symbol.asyncDispose]()
  expect(JSON.parse(readFileSync(path, 'utf8')).tool_calls.a_tool).toBe(2)
})

test('counts aliases under the listed name of the tool', async () => {
  await using home = await openMcpHome()
  const face = home.face()
  const client = await connectRaw(face)
  await client.call('list_libraries')
  await client.call('list_libraries_tool')
  await client.call('search_documents_tool', { wrong: 1 })
  await client.end()
  await face[Symbol.asyncDispose]()
  const { tool_calls: calls } = JSON.parse(readFileSync(join(home.path, 'stats.json'), 'utf8'))
  expect(calls).toMatchObject({ list_libraries_tool: 2, search_documents_tool: 1 })
})
