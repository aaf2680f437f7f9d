import { expect, test } from 'bun:test'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { buildRegistry } from '../../../src/library/registry/build-registry.ts'
import { lockRegistryFolder, partialPackName } from '../../../src/library/registry/registry-lock.ts'

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
