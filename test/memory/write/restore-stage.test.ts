import { beforeEach, expect, test } from 'bun:test'
import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import {
  finishRestore,
  isRestoring,
  swapFiles,
  listBackedUpFiles,
} from '../../../src/memory/write/restore-stage.ts'
import { readMarkdownFiles } from '../../../src/memory/backup/backup.ts'
import { privatePath } from '../../../src/memory/memory-files.ts'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { savedFileHash } from '../../../src/platform/file/saved-file.ts'
import { openTestMemory } from '../../support/memory/memory.ts'
import { openEach } from '../../support/run/dispose.ts'

const temp = openEach(() => createTempFolder('og restore'))
const memory = openEach(() => openTestMemory(temp().path))
beforeEach(async () => {
  await memory().put('daily/2026-01-01.md', 'day one')
  await memory().put('daily/2026-01-02.md', 'day two')
  await memory().put('own.md', 'own')
  await memory().put('notes.txt', 'no Markdown')
  await memory().put('folder/deep.md', 'elsewhere')
  await memory().put('daily/draft.txt', 'no log')
})

const stage = (name = 'restore') => privatePath(memory().workspace, name)
const left = () =>
  readdirSync(privatePath(memory().workspace)).filter((name) => name.startsWith('restore'))
const files = (texts: Record<string, string>) =>
  new Map(Object.entries(texts).map(([name, text]) => [name, Buffer.from(text)]))

/** The files of the workspace that a backup would contain. */
async function held(): Promise<Record<string, string>> {
  const names = await listBackedUpFiles(memory().workspace)
  return Object.fromEntries(names.map((name) => [name, memory().text(name)]))
}

const swap = async (wanted: Map<string, Buffer>) =>
  swapFiles(memory().workspace, wanted, await readMarkdownFiles(memory().workspace))

const wanted = {
  'MEMORY.md': '# Then\n',
  'daily/2026-01-02.md': 'then',
  'daily/2025-12-31.md': 'x',
}

test('a backup covers Markdown at the top level and daily logs', async () => {
  expect((await listBackedUpFiles(memory().workspace)).sort()).toEqual([
    'AGENTS.md',
    'FIRST_RUN.md',
    'MEMORY.md',
    'RELATIONS.md',
    'USER.md',
    'daily/2026-01-01.md',
    'daily/2026-01-02.md',
    'own.md',
  ])
})

test("a swap leaves exactly the backup's files and ignores other files", async () => {
  chmodSync(join(memory().workspace.path, 'MEMORY.md'), 0o600)
  await swap(files(wanted))
  expect(await held()).toEqual(wanted)
  expect(statSync(join(memory().workspace.path, 'MEMORY.md')).mode & 0o777).toBe(0o600)
  expect(memory().text('notes.txt')).toBe('no Markdown')
  expect(memory().text('folder/deep.md')).toBe('elsewhere')
  expect(memory().text('daily/draft.txt')).toBe('no log')
  expect([isRestoring(memory().workspace), left()]).toEqual([false, []])
})

test('ignores an uncommitted stage of an interrupted swap', async () => {
  const before = await held()
  mkdirSync(stage('restore.draft'), { recursive: true })
  writeFileSync(join(stage('restore.draft'), 'MEMORY.md'), 'half of a file')
  await finishRestore(memory().workspace)
  expect(await held()).toEqual(before)
  await swap(files({ 'USER.md': 'Ann' }))
  expect(await held()).toEqual({ 'USER.md': 'Ann' })
})

function writeChecksums(present: ReadonlyMap<string, Uint8Array>): void {
  const sums = [...present].map(([name, bytes]) => [
    name,
    { size: bytes.length, hash: savedFileHash(bytes) },
  ])
  writeFileSync(join(stage(), '.present.json'), JSON.stringify(Object.fromEntries(sums)))
}

test('completes a committed swap wherever it was interrupted', async () => {
  const whole = join(temp().path, 'whole')
  mkdirSync(join(whole, 'daily'), { recursive: true })
  for (const [name, text] of Object.entries(wanted)) writeFileSync(join(whole, name), text)
  const decided = async () => {
    mkdirSync(privatePath(memory().workspace), { recursive: true })
    cpSync(whole, stage(), { recursive: true })
    writeChecksums(await readMarkdownFiles(memory().workspace))
    expect(isRestoring(memory().workspace)).toBe(true)
  }
  // Interrupted before the first file was put in place.
  await decided()
  rmSync(join(memory().workspace.path, 'daily'), { recursive: true })
  await finishRestore(memory().workspace)
  expect(await held()).toEqual(wanted)
  // Interrupted after the last file was put in place.
  await memory().put('USER.md', 'to be removed')
  await decided()
  await finishRestore(memory().workspace)
  expect(await held()).toEqual(wanted)
  expect([isRestoring(memory().workspace), left()]).toEqual([false, []])
})

test('ignores a stage whose removal was interrupted', async () => {
  await swap(files(wanted))
  // The state after a kill between the last rename and the removal.
  mkdirSync(stage())
  writeFileSync(join(stage(), 'AGENTS.md'), 'rest of a stage')
  renameSync(stage(), stage('restore.done'))
  await finishRestore(memory().workspace)
  expect(await held()).toEqual(wanted)
  expect(existsSync(stage('restore.done'))).toBe(false)
})

test('a swap with no files removes all files that a backup would contain', async () => {
  await swap(new Map())
  expect(await held()).toEqual({})
  expect(memory().text('notes.txt')).toBe('no Markdown')
})

test('keeps lines appended after the backup, and files with other changes', async () => {
  const present = await readMarkdownFiles(memory().workspace)
  appendFileSync(join(memory().workspace.path, 'MEMORY.md'), 'line\n')
  await memory().put('USER.md', 'by hand')
  await memory().put('own.md', 'own and more')
  await memory().put('fresh.md', 'fresh')
  const left = await swapFiles(memory().workspace, files({ ...wanted, 'USER.md': 'Ann' }), present)
  expect(left).toEqual(['USER.md'])
  expect(await held()).toEqual({
    ...wanted,
    'MEMORY.md': '# Then\nline\n',
    'USER.md': 'by hand',
    'own.md': ' and more',
    'fresh.md': 'fresh',
  })
})

test('does not overwrite later writes when a restore is resumed', async () => {
  const present = await readMarkdownFiles(memory().workspace)
  const shorter = present.get('MEMORY.md')!.subarray(0, 9).toString()
  const all = { ...wanted, 'MEMORY.md': shorter }
  await swapFiles(memory().workspace, files(all), present)
  appendFileSync(join(memory().workspace.path, 'MEMORY.md'), 'line\n')
  await memory().put('daily/2026-01-02.md', 'by hand')
  const before = await held()
  mkdirSync(join(stage(), 'daily'), { recursive: true })
  for (const [name, text] of Object.entries(all)) writeFileSync(join(stage(), name), text)
  writeChecksums(present)
  expect(await finishRestore(memory().workspace)).toEqual(['daily/2026-01-02.md'])
  expect(await held()).toEqual(before)
})
