import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { symlinkSync } from 'node:fs'
import { searchedFiles } from '../../src/memory/index/sync.ts'
import {
  journalNames,
  privatePath,
  hasEntryInFile,
  readEntries,
} from '../../src/memory/memory-files.ts'
import { createTempFolder } from '../../src/platform/file/files.ts'
import { openTestMemory } from '../support/memory/memory.ts'
import { writeFiles } from '../support/repository.ts'
import { openEach } from '../support/run/dispose.ts'

const temp = openEach(() => createTempFolder('og tiers'))
const memory = openEach(() => openTestMemory(temp().path))

test('reads entries of all tiers in file order with their dates', async () => {
  await memory().put('MEMORY.md', '# Memory\n\none\n')
  await memory().put('daily/2026-03-20.md', '## 10:00\n\ntwo\n')
  await memory().put('RELATIONS.md', '- [a] --is--> [b]\n')
  const entries = await readEntries(memory().workspace)
  const shown = entries.map(({ file, body }) => `${file}: ${body}`)
  expect(shown).toContain('MEMORY.md: one')
  expect(shown.at(-1)).toBe('daily/2026-03-20.md: two')
  expect(entries.map(({ file }) => file)).not.toContain('RELATIONS.md')
})

test('finds an entry only by its whole body, and never in a linked file', async () => {
  await memory().put('MEMORY.md', 'the port is 4241\n')
  const has = (file: string, body: string) => hasEntryInFile(memory().workspace, file, body)
  expect(await has('MEMORY.md', 'the port is 4241')).toBe(true)
  expect(await has('MEMORY.md', 'the port')).toBe(false)
  expect(await has('missing.md', 'the port is 4241')).toBe(false)
  const { path } = memory().workspace
  writeFiles(temp().path, { 'outside.md': 'secret\n' })
  symlinkSync(join(temp().path, 'outside.md'), join(path, 'link.md'))
  expect(await has('link.md', 'secret')).toBe(false)
})

test('searches all files except those with searchable false', async () => {
  await memory().put('own.md', 'x\n')
  await memory().put('hidden.md', 'x\n')
  const one = { description: '', inject: true, maxChars: null, compactable: false }
  const customFiles = [
    { ...one, name: 'own.md', searchable: true },
    { ...one, name: 'hidden.md', searchable: false },
  ]
  const found = await searchedFiles({ ...memory().workspace, customFiles })
  expect(found).toContainEqual({ path: 'MEMORY.md', source: 'long_term' })
  expect(found).toContainEqual({ path: 'own.md', source: 'memory' })
  expect(found.map(({ path }) => path)).not.toContain('hidden.md')
})

test('lists only the monthly journal files, oldest first', async () => {
  const { workspace } = memory()
  expect(await journalNames({ ...workspace, path: join(temp().path, 'nowhere') })).toEqual([])
  writeFiles(privatePath(workspace, 'journal'), {
    '2026-02.jsonl': '',
    '2025-12.jsonl': '',
    '2026-02.jsonl.tmp': '',
    'notes.md': '',
  })
  expect(await journalNames(workspace)).toEqual(['2025-12.jsonl', '2026-02.jsonl'])
})
