import { beforeEach, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import {
  auditMemory,
  listWrites,
  applyAudit,
  syncMemory,
  undoWrite,
} from '../../../src/operation/memory/upkeep.ts'
import { openMemoryHome } from '../../support/memory/mcp-memory.ts'
import { openEach } from '../../support/run/dispose.ts'

const home = openEach(openMemoryHome)
const memory = openEach(async () => (await home().memories()).session())
beforeEach(async () => {
  await memory().write({ file: 'MEMORY.md', content: 'The heron eats frogs.' })
  await memory().write({ file: 'USER.md', content: 'Feeds storks.' })
})

test('undoes the newest write unless an id is given', async () => {
  const writes = async (file: string | null, limit: number | null = null) =>
    listWrites
      .json(await listWrites.run(memory(), { file, limit, text: null }))
      .map(({ file }) => file)
  expect(await writes(null)).toEqual(['USER.md', 'MEMORY.md'])
  expect(await writes(null, 1)).toEqual(['USER.md'])
  const [oldest] = (await listWrites.run(memory(), { file: 'MEMORY.md', limit: null, text: null }))
    .value
  const undone = undoWrite.json(await undoWrite.run(memory(), { id: oldest!.id }))
  expect(undone).toMatchObject({ undone: oldest!.id, file: 'MEMORY.md' })
  expect((await undoWrite.run(memory(), { id: null })).value.file).toBe('USER.md')
})

test('sync with force reads every file', async () => {
  expect((await syncMemory.run(memory(), { force: false })).value.skipped).toBeGreaterThan(0)
  expect(syncMemory.json(await syncMemory.run(memory(), { force: true })).skipped).toBe(0)
})

test('an audit finds duplicate entries and changes nothing', async () => {
  const text = '## a\n\nheron\n\n## b\n\nheron\n'
  writeFileSync(home().file('MEMORY.md'), text)
  const findings = auditMemory.json(await auditMemory.run(memory(), {}))
  expect(findings.map(({ kind }) => kind)).toEqual(['duplicate'])
  expect(readFileSync(home().file('MEMORY.md'), 'utf8')).toBe(text)
})

test('lists the writes that added or removed a text', async () => {
  const input = { file: null, limit: null, text: 'Feeds storks.' }
  const { value } = await listWrites.run(memory(), input)
  expect(value.map(({ file }) => file)).toEqual(['USER.md'])
})

test('applies the accepted edits of an audit', async () => {
  writeFileSync(home().file('MEMORY.md'), '## a\n\nheron\n\n## b\n\nheron\n')
  const edits = (await auditMemory.run(memory(), {})).value.flatMap(({ fix }) => fix ?? [])
  expect(edits).not.toEqual([])
  const json = applyAudit.json(await applyAudit.run({ memory: memory(), edits }, {}))
  expect(json).toMatchObject({ edits: edits.length, files: ['MEMORY.md'] })
  expect(readFileSync(home().file('MEMORY.md'), 'utf8').match(/heron/g)).toHaveLength(1)
})
