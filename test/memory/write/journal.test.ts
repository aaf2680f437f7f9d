import { beforeEach, expect, test } from 'bun:test'
import { appendFileSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  readJournalEnd,
  newChangeId,
  writeJournal,
  type JournalChange,
} from '../../../src/memory/write/journal.ts'
import { createWorkspace, openWorkspace } from '../../../src/memory/workspace.ts'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { openEach } from '../../support/run/dispose.ts'

const temp = openEach(() => createTempFolder('og journal'))
const workspace = openEach(() => openWorkspace({ root: temp().path, name: 'default' }))
const folder = () => join(workspace().path, '.og', 'journal')
beforeEach(() => createWorkspace(workspace()))

const change = (id: string, at: string): JournalChange => ({
  id,
  at,
  op: 'append',
  file: 'MEMORY.md',
  offset: 0,
  removed: '',
  inserted: 'ü\n',
  size: null,
})

const lines = (name: string) => readFileSync(join(folder(), name), 'utf8').split('\n')

test('appends a change to the file of its month, followed by its outcome', async () => {
  expect(await readJournalEnd(workspace())).toBeNull()
  const march = change('a', '2026-03-31T23:59:00.000Z')
  await writeJournal(workspace(), march)
  const end = await writeJournal(workspace(), { done: 'a' })
  expect(lines('2026-03.jsonl')).toEqual([JSON.stringify(march), '{"done":"a"}', ''])
  expect(end).toEqual({
    name: '2026-03.jsonl',
    bytes: Buffer.byteLength(`${JSON.stringify(march)}\n{"done":"a"}\n`),
  })
  expect(await readJournalEnd(workspace())).toEqual(end)
})

test('appends a late outcome to the file of its change', async () => {
  await writeJournal(workspace(), change('a', '2026-03-31T23:59:00.000Z'))
  await writeJournal(workspace(), change('b', '2026-04-01T00:00:00.000Z'))
  await writeJournal(workspace(), { void: 'b' })
  expect(readdirSync(folder()).sort()).toEqual(['2026-03.jsonl', '2026-04.jsonl'])
  expect(lines('2026-04.jsonl').slice(1)).toEqual(['{"void":"b"}', ''])
})

test('does not write to an older file if the clock is set back', async () => {
  await writeJournal(workspace(), change('a', '2026-04-01T00:00:00.000Z'))
  const end = await writeJournal(workspace(), change('b', '2026-02-01T00:00:00.000Z'))
  expect(readdirSync(folder())).toEqual(['2026-04.jsonl'])
  expect(lines('2026-04.jsonl')[1]).toContain('"id":"b"')
  expect(await readJournalEnd(workspace())).toEqual(end)
})

test('starts a new line after an incomplete one, and includes its length in the end of the journal', async () => {
  await writeJournal(workspace(), change('a', '2026-03-01T00:00:00.000Z'))
  appendFileSync(join(folder(), '2026-03.jsonl'), '{"id":"cu')
  const end = await writeJournal(workspace(), change('b', '2026-03-02T00:00:00.000Z'))
  const [, cut, next, last] = lines('2026-03.jsonl')
  expect([cut, JSON.parse(next!).id, last]).toEqual(['{"id":"cu', 'b', ''])
  expect(await readJournalEnd(workspace())).toEqual(end)
})

test('writes text with line breaks as one line', async () => {
  await writeJournal(workspace(), {
    ...change('a', '2026-03-01T00:00:00.000Z'),
    removed: 'x\ny\r\n',
  })
  const [only, end] = lines('2026-03.jsonl')
  expect([JSON.parse(only!).removed, end]).toEqual(['x\ny\r\n', ''])
})

test('ids sort by time and are unique within a moment', () => {
  const ids = [0, 1, 35, 36, 86_400_000].map((ms) => newChangeId(new Date(1_780_000_000_000 + ms)))
  expect(ids.toSorted()).toEqual(ids)
  const now = new Date(2026, 2, 1)
  expect(new Set(Array.from({ length: 100 }, () => newChangeId(now))).size).toBe(100)
})
