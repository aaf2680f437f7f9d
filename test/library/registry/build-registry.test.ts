import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildRegistry } from '../../../src/library/registry/build-registry.ts'
import { createTempFolder, type TempFolder } from '../../../src/platform/file/files.ts'
import { writeLampPack } from '../../support/pack/packs.ts'

setDefaultTimeout(60_000)

let temp: TempFolder
beforeEach(async () => void (temp = await createTempFolder('og-registry')))
afterEach(async () => temp[Symbol.asyncDispose]())

const day = 86_400_000

test('a registry is built once, and again where something is new or it would expire', async () => {
  const folder = join(temp.path, 'packs')
  mkdirSync(folder)
  const path = await writeLampPack(temp.path)
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
