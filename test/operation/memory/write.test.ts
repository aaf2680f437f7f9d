import { expect, test } from 'bun:test'
import { listEntries } from '../../../src/operation/memory/read.ts'
import { compactMemory, deleteEntry, writeMemory } from '../../../src/operation/memory/write.ts'
import { openMemoryHome } from '../../support/memory/mcp-memory.ts'
import { openEach } from '../../support/run/dispose.ts'

const home = openEach(openMemoryHome)
const memory = openEach(async () => (await home().memories()).session())

const nothing = {
  file: null,
  content: null,
  search: null,
  start_line: null,
  end_line: null,
  tags: [],
  expect: null,
  corrects: null,
  supersedes: null,
  valid_from: null,
  until: null,
  for: null,
}

test('write appends to MEMORY.md unless a file is given', async () => {
  const answer = await writeMemory.run(memory(), { ...nothing, content: 'A heron.' })
  expect(answer.notes).toEqual([])
  expect(writeMemory.json(answer)).toMatchObject({ mode: 'append', file: 'MEMORY.md' })
  expect(writeMemory.json(answer)).not.toHaveProperty('notes')
})

test('write deletes lines if content is empty and rejects missing content', async () => {
  await writeMemory.run(memory(), { ...nothing, file: 'USER.md', content: 'A heron.' })
  const place = { ...nothing, file: 'USER.md', start_line: 1, end_line: 2 }
  await expect(writeMemory.run(memory(), place)).rejects.toThrow("'content' is required")
  const { value } = await writeMemory.run(memory(), { ...place, content: '' })
  expect(value).toMatchObject({ mode: 'delete', deleted_lines: '1-2' })
})

test("a write whose indexing failed has a note and upstream's warning", async () => {
  const warning = 'Index sync failed: disk full'
  const written = { file: 'MEMORY.md', mode: 'delete' as const, warning }
  const failing = { ...memory(), write: async () => written }
  const answer = await writeMemory.run(failing, { ...nothing, content: 'x' })
  expect(answer.notes).toEqual([{ kind: 'degraded', reason: warning }])
  expect(writeMemory.json(answer)).toEqual({
    ...written,
    notes: [{ kind: 'degraded', reason: warning, message: warning }],
  })
})

test('compact refuses a file that changed since it was read', async () => {
  const input = { tier: 'MEMORY.md', content: '# Short', expect: '000000000000' }
  await expect(compactMemory.run(memory(), input)).rejects.toThrow('differs from the expected text')
  const answer = await compactMemory.run(memory(), { ...input, expect: null })
  expect(compactMemory.json(answer)).toMatchObject({ tier: 'MEMORY.md', chars_written: 7 })
})

test('delete removes an entry even from an append-only file', async () => {
  await writeMemory.run(memory(), { ...nothing, content: 'A heron.' })
  const entriesOf = async (file: string | null) =>
    listEntries.json(await listEntries.run(memory(), { file }))
  const entry = (await entriesOf('MEMORY.md')).find(({ body }) => body === 'A heron.')
  expect(entry).toMatchObject({ file: 'MEMORY.md', text: expect.stringContaining('heron') })
  const given = { file: 'MEMORY.md', id: entry!.entry_id }
  const json = deleteEntry.json(await deleteEntry.run(memory(), given))
  expect(json).toMatchObject({ file: 'MEMORY.md' })
  expect((await entriesOf(null)).map(({ body }) => body)).not.toContain('A heron.')
})
