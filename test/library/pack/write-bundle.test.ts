import { expect, test } from 'bun:test'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeBundle } from '../../../src/library/pack/write-pack.ts'
import { createTempFolder } from '../../../src/platform/file/files.ts'

test('a bundle contains every part, an executable program and checksums', async () => {
  await using temp = await createTempFolder('og-bundle-test')
  const at = (name: string) => join(temp.path, name)
  writeFileSync(at('program'), 'x'.repeat(200_000))
  writeFileSync(at('a-1.ogpack'), 'a pack')
  const parts = { executable: at('program'), packs: [at('a-1.ogpack')], config: '{}' }
  const bytes = await writeBundle(at('b.tar.gz'), parts)
  expect(statSync(at('b.tar.gz')).size).toBe(bytes)
  expect(bytes).toBeLessThan(10_000)
  mkdirSync(at('there'))
  const cwd = at('there')
  expect(Bun.spawnSync(['tar', 'xf', at('b.tar.gz')], { cwd }).exitCode).toBe(0)
  const folder = join(cwd, 'og-bundle')
  expect(statSync(join(folder, 'og')).mode & 0o777).toBe(0o755)
  expect(readFileSync(join(folder, 'packs/a-1.ogpack'), 'utf8')).toBe('a pack')
  const sums = readFileSync(join(folder, 'SHA256SUMS'), 'utf8').trim().split('\n')
  expect(sums.map((line) => line.slice(66))).toEqual([
    'install.sh',
    'config.json',
    'og',
    'packs/a-1.ogpack',
  ])
})

test('leaves no file behind if the bundle cannot be written completely', async () => {
  await using temp = await createTempFolder('og-bundle-test')
  const to = join(temp.path, 'b.tar.gz')
  const lacking = { executable: join(temp.path, 'none'), packs: [], config: null }
  await expect(writeBundle(to, lacking)).rejects.toThrow(
    `Cannot read "${lacking.executable}": ENOENT`,
  )
  const parts = { ...lacking, executable: import.meta.path }
  const nowhere = join(temp.path, 'none', 'b.tar.gz')
  await expect(writeBundle(nowhere, parts)).rejects.toThrow('Cannot write bundle')
  const signal = AbortSignal.abort(new Error('Interrupted'))
  await expect(writeBundle(to, { ...parts, signal })).rejects.toThrow('Interrupted')
  expect(readdirSync(temp.path)).toEqual([])
})
