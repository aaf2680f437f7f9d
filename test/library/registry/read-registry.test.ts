import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { buildRegistry } from '../../../src/library/registry/build-registry.ts'
import { chooseListed } from '../../../src/library/registry/choose-pack.ts'
import {
  changeRegistries, knownRegistries, rememberSerial,
} from '../../../src/library/registry/known-registries.ts'
import { readRegistry } from '../../../src/library/registry/read-registry.ts'
import { newMinisignKeys, parseSecretKey } from '../../../src/library/registry/sign-index.ts'
import { createTempFolder, type TempFolder } from '../../../src/platform/file/files.ts'

let temp: TempFolder
beforeEach(async () => void (temp = await createTempFolder('og-registry')))
afterEach(async () => temp[Symbol.asyncDispose]())

const day = 86_400_000

test('what has expired or is older than what was seen is not believed', async () => {
  const folder = join(temp.path, 'packs')
  mkdirSync(folder)
  const keys = newMinisignKeys()
  const secret = parseSecretKey(keys.secretKey)
  await buildRegistry(folder, { secret, days: 10, yank: [] })
  const known = { name: 'packs', url: folder, key: keys.publicKey, serial: 0 }
  await changeRegistries(temp.path, () => [known])
  const reading = { home: temp.path, folder: join(temp.path, 'kept') }
  expect(await readRegistry(known, reading)).toMatchObject({ serial: 1, packs: [] })
  expect(await knownRegistries(temp.path)).toEqual([{ ...known, serial: 1 }])
  const later = { ...reading, now: new Date(Date.now() + 11 * day) }
  await expect(readRegistry(known, later)).rejects.toThrow('what it says held until')
  await rememberSerial(temp.path, folder, 5)
  await rememberSerial(temp.path, folder, 3)
  const [seen] = await knownRegistries(temp.path)
  await expect(readRegistry(seen!, reading)).rejects.toThrow('its serial is 1, and 5 was seen')
  const problems: unknown[] = []
  const onProblem = (error: unknown) => void problems.push(error)
  expect(await chooseListed([seen!], { library: 'x', version: null }, { ...reading, onProblem }))
    .toBe(null)
  expect(problems).toHaveLength(1)
})
