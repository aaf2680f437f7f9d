import { expect, test } from 'bun:test'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { zipSync } from 'fflate'
import { append } from '../../../src/memory/write/append.ts'
import { exportMemory, importMemory } from '../../../src/memory/backup/export-import.ts'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { openTestMemory, outcome } from '../../support/memory/memory.ts'
import { openEach } from '../../support/run/dispose.ts'

const temp = openEach(() => createTempFolder('og-carry'))

let count = 0

/** Imports into a new memory, whose MEMORY.md has the content `own` if given. */
async function check(
  source: string,
  expected: unknown,
  { own, replace = false }: { own?: string; replace?: boolean } = {},
) {
  const memory = await openTestMemory(temp().path, { name: `memory ${count++}` })
  if (own !== undefined) await memory.put('MEMORY.md', own)
  const found = await outcome(importMemory(memory, join(temp().path, source), { replace }))
  expect(found).toEqual(expected as never)
  return memory
}

function put(name: string, bytes: string | Uint8Array): void {
  writeFileSync(join(temp().path, name), bytes)
}

test('an import restores every exported file byte for byte', async () => {
  const memory = await openTestMemory(temp().path, { name: 'first' })
  await append(memory, { file: 'MEMORY.md', content: 'a fact' })
  await append(memory, { file: 'daily', content: 'a day' })
  await memory.put('mine.md', 'by hand\r\n')
  const { bytes, files } = await exportMemory(memory)
  expect(files).toBe(7)
  put('m.zip', bytes)
  const copy = await check('m.zip', { files: 7, backup: null })
  for (const name of ['MEMORY.md', 'daily/2026-03-20.md', 'mine.md']) {
    expect(copy.text(name)).toBe(memory.text(name))
  }
  const folder = await check('first', { files: 7, backup: null })
  expect(folder.text('mine.md')).toBe('by hand\r\n')
})

test('imports only the files of an upstream archive, not its index', async () => {
  const texts = { 'MEMORY.md': '# Memory\n', 'daily/2026-01-01.md': 'x', '.index/memory.db': 'db' }
  const entries = Object.entries(texts).map(([name, text]) => [name, Buffer.from(text)])
  put('up.zip', zipSync(Object.fromEntries(entries)))
  const memory = await check('up.zip', { files: 2, backup: null })
  expect(readdirSync(memory.workspace.path).includes('USER.md')).toBe(false)
})

test('replaces existing content only on request, and backs it up', async () => {
  mkdirSync(join(temp().path, 'other'))
  writeFileSync(join(temp().path, 'other', 'MEMORY.md'), '# Memory\n\nother\n')
  const own = '# Memory\n\nown\n'
  const kept = await check('other', expect.stringMatching(/^Cannot import .*: it is not empty$/), {
    own,
  })
  expect(kept.text('MEMORY.md')).toBe(own)
  const replaced = { files: 1, backup: expect.stringMatching(/^2026-03-20_1005/) }
  const memory = await check('other', replaced, { own, replace: true })
  expect(memory.text('MEMORY.md')).toBe('# Memory\n\nother\n')
})

test('rejects sources without memory files', async () => {
  mkdirSync(join(temp().path, 'empty'))
  put('bad.zip', 'no zip')
  await check('empty', expect.stringMatching(/it contains no memory files$/))
  await check('bad.zip', 'Cannot read backup "bad.zip": it is not a ZIP archive, or is cut off')
  await check('nothing', expect.stringMatching(/^Cannot read .*: no such file or directory$/))
})
