import { beforeEach, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import {
  backUpMemory,
  importMemory,
  listMemoryBackups,
  restoreMemory,
} from '../../../src/operation/memory/backup.ts'
import { openMemoryHome } from '../../support/memory/mcp-memory.ts'
import { openEach } from '../../support/run/dispose.ts'

const home = openEach(openMemoryHome)
const memory = openEach(async () => (await home().memories()).session())
beforeEach(() => memory().write({ file: 'MEMORY.md', content: 'The heron eats frogs.' }))

test('lists a backup by its path and restores its files', async () => {
  const { name, path, files } = backUpMemory.json(await backUpMemory.run(memory(), {}))
  expect([existsSync(path), files]).toEqual([true, 5])
  await memory().write({ file: 'MEMORY.md', content: 'The stork eats mice.' })
  const restored = await restoreMemory.run(memory(), { spec: '-1' })
  expect(restored.notes).toEqual([])
  expect(restoreMemory.json(restored)).toMatchObject({ restored: name })
  expect(readFileSync(home().file('MEMORY.md'), 'utf8')).not.toContain('stork')
  const backups = listMemoryBackups.json(await listMemoryBackups.run(memory(), {}))
  expect(backups.map(({ spec }) => spec)).toEqual(['-1', '-2'])
  expect(backups[1]).toEqual({ spec: '-2', name, path })
})

test('restore fails with exit code 1 if no backup or several backups match the text', async () => {
  const check = async (spec: string, message: string) =>
    expect(restoreMemory.run(memory(), { spec })).rejects.toMatchObject({
      exitCode: 1,
      message: expect.stringContaining(message),
    })
  await check('-1', 'No backups found for workspace')
  mkdirSync(home().file('backups'), { recursive: true })
  for (const name of ['2026-01-01_100000', '2026-01-01_110000']) {
    writeFileSync(home().file(`backups/${name}.zip`), '')
  }
  await check('2025', "No backup found matching '2025'")
  await check('2026-01', "Ambiguous spec '2026-01' matches 2 backups")
})

test('import refuses to replace existing files unless asked to', async () => {
  const folder = home().file('../other')
  mkdirSync(folder)
  writeFileSync(`${folder}/MEMORY.md`, '# Memory\n\nImported.\n')
  const input = { path: folder, replace: false }
  await expect(importMemory.run(memory(), input)).rejects.toThrow('it is not empty')
  const answer = await importMemory.run(memory(), { ...input, replace: true })
  expect(importMemory.json(answer)).toMatchObject({ files: 1, backup: expect.any(String) })
  expect(readFileSync(home().file('MEMORY.md'), 'utf8')).toContain('Imported.')
})
