import { beforeEach, expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  readChanges,
  findUnfinishedChange,
  type JournalChange,
} from '../../../src/memory/write/journal.ts'
import { createWorkspace, openWorkspace } from '../../../src/memory/workspace.ts'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { openEach } from '../../support/run/dispose.ts'

const temp = openEach(() => createTempFolder('og journal changes'))
const workspace = openEach(() => openWorkspace({ root: temp().path, name: 'default' }))
const folder = () => join(workspace().path, '.og', 'journal')
beforeEach(async () => {
  await createWorkspace(workspace())
  mkdirSync(folder(), { recursive: true })
})

const line = (id: string, inserted = 'x'): string =>
  JSON.stringify({
    id,
    at: '2026-03-01T00:00:00.000Z',
    op: 'append',
    file: 'MEMORY.md',
    offset: 0,
    removed: '',
    inserted,
    size: null,
  } satisfies JournalChange)
const done = (id: string) => JSON.stringify({ done: id })
const isVoid = (id: string) => JSON.stringify({ void: id })

function put(name: string, ...lines: string[]): void {
  writeFileSync(join(folder(), name), lines.map((one) => `${one}\n`).join(''))
}

/** Expects the id of the open change, and the ids of all applied changes. */
async function check(open: string | null, tookPlace: string[]) {
  const change = await findUnfinishedChange(workspace())
  expect(change && change.id).toBe(open)
  expect((await readChanges(workspace())).map(({ id }) => id)).toEqual(tookPlace)
}

test('reports nothing if there is no journal', () => check(null, []))

test('a change is open until its outcome is recorded', async () => {
  put('2026-03.jsonl', line('a'), done('a'), line('b'))
  await check('b', ['b', 'a'])
  put('2026-03.jsonl', line('a'), done('a'), line('b'), done('b'))
  await check(null, ['b', 'a'])
})

test('skips void changes', async () => {
  put('2026-03.jsonl', line('a'), isVoid('a'), line('b'), done('b'), line('c'), isVoid('c'))
  await check(null, ['b'])
})

test('reads all months, newest first, and ignores other files', async () => {
  put('2026-02.jsonl', line('a'), done('a'), line('b'))
  put('2026-03.jsonl', isVoid('b'), line('c'))
  put('2026-04.jsonl.old', line('x'))
  put('notes.txt', line('y'))
  await check('c', ['c', 'a'])
})

test('skips incomplete lines at any position', async () => {
  put('2026-03.jsonl', '{"id":"cu', line('a'), '{"done"', '{"broken":}', '', '12', line('b'))
  await check('b', ['b', 'a'])
  writeFileSync(join(folder(), '2026-03.jsonl'), `${line('a')}\n${done('a')}\n{"id":"cut`)
  await check(null, ['a'])
  put('2026-03.jsonl', '{"id":"cut')
  await check(null, [])
})

test('reads only the end of a long journal, even if a line exceeds one read', async () => {
  const long = 'ü'.repeat(50_000)
  put('2026-03.jsonl', line('a', long), done('a'), line('b', long))
  expect(await findUnfinishedChange(workspace())).toMatchObject({ id: 'b', inserted: long })
  put('2026-03.jsonl', line('a', long), line('b', long), done('b'))
  await check(null, ['b', 'a'])
  // The first read of 64 KiB starts in the middle of a character of the first line.
  for (const more of [0, 1]) {
    put('2026-03.jsonl', line('a', long + 'x'.repeat(more)), `{"cut":"${'y'.repeat(100)}`)
    expect((await findUnfinishedChange(workspace()))?.inserted.length).toBe(50_000 + more)
  }
})
