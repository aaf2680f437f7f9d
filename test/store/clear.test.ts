import { expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createTempFolder } from '../../src/platform/file/files.ts'
import { clearStore, storeContent } from '../../src/store/clear.ts'
import { readEntries } from '../../src/store/registry.ts'
import { registryFormat } from '../../src/store/registry-text.ts'
import { openLive, writeGeneration } from '../support/store.ts'
import { openEach } from '../support/run/dispose.ts'

const temp = openEach(() => createTempFolder("og clear 'ü"))
const folder = () => join(temp().path, 'store')

/** Checks the content of the folder and of `generations/` after clearing. */
async function check(expected: { inUse?: number; left: string[]; generations?: string[] }) {
  expect(await clearStore(folder(), () => true)).toHaveLength(expected.inUse ?? 0)
  expect(
    readdirSync(folder())
      .filter((name) => name !== 'locks')
      .sort(),
  ).toEqual(expected.left)
  if (expected.generations === undefined) return
  expect(readdirSync(join(folder(), 'generations')).sort()).toEqual(expected.generations)
}

test("deletes og's files and keeps all others (W-41)", async () => {
  await writeGeneration(folder(), { a: 'x' }, { library: 'lib' })
  for (const name of ['embeddings.sqlite', 'embeddings.sqlite-wal', 'mine.txt']) {
    writeFileSync(join(folder(), name), '')
  }
  mkdirSync(join(folder(), 'generations', 'photos'))
  const elsewhere = join(temp().path, 'elsewhere')
  mkdirSync(elsewhere)
  writeFileSync(join(elsewhere, 'lease'), '')
  symlinkSync(elsewhere, join(folder(), 'generations', 'link'))
  await check({ left: ['generations', 'mine.txt'], generations: ['link', 'photos'] })
  expect(existsSync(join(elsewhere, 'lease'))).toBe(true)
  expect(await readEntries(folder())).toEqual([])
})

test('clears a store with a damaged registry (W-41)', async () => {
  const { id } = await writeGeneration(folder(), { a: 'x' }, { library: 'lib' })
  writeFileSync(join(folder(), 'registry.json'), '{"format": 1, "ent')
  expect(await storeContent(folder())).toEqual({
    entries: null,
    generations: [id],
    hasCache: false,
  })
  await check({ left: ['generations'], generations: [] })
})

test('does not change a folder that is not a store', async () => {
  mkdirSync(folder())
  writeFileSync(join(folder(), 'registry.json'), '{"packages": {}}')
  await expect(clearStore(folder(), () => true)).rejects.toThrow('it is not an og registry')
  expect(readdirSync(folder())).toEqual(['registry.json'])
  writeFileSync(join(folder(), 'registry.json'), `{"format": ${registryFormat + 1}, "entries": []}`)
  mkdirSync(join(folder(), 'locks'))
  await expect(clearStore(folder(), () => true)).rejects.toThrow('its format is')
  expect(await clearStore(join(temp().path, 'nowhere'), () => true)).toEqual([])
  expect(existsSync(join(temp().path, 'nowhere'))).toBe(false)
})

test('keeps a generation until its reader is done', async () => {
  const { id } = await writeGeneration(folder(), { a: 'x' }, { library: 'lib' })
  const [open] = await openLive(folder())
  await check({ inUse: 1, left: ['generations'], generations: [id] })
  expect(await open!.page('a')).toMatchObject({ text: 'x' })
  open![Symbol.dispose]()
  await check({ left: ['generations'], generations: [] })
})
