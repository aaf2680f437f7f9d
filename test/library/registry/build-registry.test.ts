import { expect, test } from 'bun:test'
import { mkdirSync, readdirSync, readFileSync, writeFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import {
  buildRegistry,
  lockRegistryFolder,
  partialPackName,
} from '../../../src/library/registry/build-registry.ts'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { writeLampPack } from '../../support/pack/packs.ts'
import { openEach } from '../../support/run/dispose.ts'

const temp = openEach(() => createTempFolder('og-registry'))

const day = 86_400_000

test('builds a registry once, and again if packs are new or the index is about to expire', async () => {
  const folder = join(temp().path, 'packs')
  mkdirSync(folder)
  const path = await writeLampPack(temp().path)
  writeFileSync(join(folder, 'lamp-1.ogpack'), readFileSync(path))
  const request = { secret: null, days: 10, yank: [] }
  const build = (days: number, more = {}) =>
    buildRegistry(folder, { ...request, now: new Date(Date.now() + days * day), ...more })
  expect(await build(0)).toMatchObject({ serial: 1, added: ['lamp-1.ogpack'], isWritten: true })
  expect(await build(1)).toMatchObject({ serial: 1, isWritten: false })
  expect(await build(6)).toMatchObject({ serial: 2, added: [], isWritten: true })
  expect(await build(6, { yank: ['lamp@1'] })).toMatchObject({ serial: 3 })
  await expect(build(6, { yank: ['lamp@2'] })).rejects.toThrow('the registry has no such pack')
  writeFileSync(join(folder, 'odd name.ogpack'), 'x')
  await expect(build(7)).rejects.toThrow('"odd name.ogpack" has other characters')
  await expect(buildRegistry(join(folder, 'none'), request)).rejects.toThrow('no such folder')
})

test('keeps the newest packs of each version, and deletes others after it has written the index', async () => {
  const folder = join(temp().path, 'packs')
  mkdirSync(folder)
  const names = ['lamp-1.ogpack', 'lamp-1+2.ogpack', 'lamp-1+3.ogpack']
  for (const [i, name] of names.entries()) {
    const pages = { 'index.md': `# Lamp\n\nLamp number ${i}.\n` }
    const path = await writeLampPack(join(temp().path, name), { pages })
    writeFileSync(join(folder, name), readFileSync(path))
  }
  const request = { secret: null, days: 10, yank: [] }
  expect(await buildRegistry(folder, request)).toMatchObject({ packs: 3 })
  expect(await buildRegistry(folder, { ...request, keep: 2 })).toMatchObject({
    packs: 2,
    removed: ['lamp-1.ogpack'],
  })
  const left = readdirSync(folder).filter((it) => it.endsWith('.ogpack'))
  expect(left.sort()).toEqual(names.slice(1).sort())
  expect(await buildRegistry(folder, { ...request, keep: 2 })).toMatchObject({ isWritten: false })
})

test('gives the lock to one holder at a time, and leaves no file behind', async () => {
  await using temp = await createTempFolder('og-registry-lock')
  let holders = 0
  let most = 0
  await Promise.all(
    Array.from({ length: 12 }, async () => {
      using _lock = await lockRegistryFolder(temp.path)
      most = Math.max(most, ++holders)
      await Bun.sleep(5)
      holders--
    }),
  )
  expect(most).toBe(1)
  expect(readdirSync(temp.path)).toEqual([])
})

test('writes an index and leaves no other file of og in the folder', async () => {
  await using temp = await createTempFolder('og-registry-lock')
  writeFileSync(join(temp.path, partialPackName), 'left by a killed run')
  await buildRegistry(temp.path, { secret: null, days: 7, yank: [] })
  expect(readdirSync(temp.path)).toEqual(['index.json'])
  expect(existsSync(join(temp.path, partialPackName))).toBe(false)
})
