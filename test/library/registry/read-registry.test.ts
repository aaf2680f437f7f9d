import { expect, test } from 'bun:test'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildRegistry } from '../../../src/library/registry/build-registry.ts'
import { choosePackFromRegistries } from '../../../src/library/registry/choose-pack.ts'
import {
  changeRegistries,
  readRegistries,
  rememberSerial,
} from '../../../src/library/registry/known-registries.ts'
import { readRegistry } from '../../../src/library/registry/read-registry.ts'
import { newMinisignKeys, parseSecretKey } from '../../../src/library/registry/sign-index.ts'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { serveFolder } from '../../support/pack/server.ts'
import { openEach } from '../../support/run/dispose.ts'

const temp = openEach(() => createTempFolder('og-registry'))

const day = 86_400_000

test('rejects an index that has expired or is older than the last one', async () => {
  const folder = join(temp().path, 'packs')
  mkdirSync(folder)
  const keys = newMinisignKeys()
  const secret = parseSecretKey(keys.secretKey)
  await buildRegistry(folder, { secret, days: 10, yank: [] })
  const known = { name: 'packs', url: folder, key: keys.publicKey, serial: 0 }
  await changeRegistries(temp().path, () => [known])
  const reading = { lists: temp().path, folder: join(temp().path, 'kept') }
  expect(await readRegistry(known, reading)).toMatchObject({ serial: 1, packs: [] })
  expect(await readRegistries(temp().path)).toEqual([{ ...known, serial: 1 }])
  const later = { ...reading, now: new Date(Date.now() + 11 * day) }
  await expect(readRegistry(known, later)).rejects.toThrow('what it says held until')
  await rememberSerial(temp().path, folder, 5)
  await rememberSerial(temp().path, folder, 3)
  const [seen] = await readRegistries(temp().path)
  await expect(readRegistry(seen!, reading)).rejects.toThrow('its serial is 1, and 5 was seen')
  const problems: unknown[] = []
  const onProblem = (error: unknown) => void problems.push(error)
  expect(
    await choosePackFromRegistries(
      [seen!],
      { library: 'x', version: null },
      { ...reading, onProblem },
    ),
  ).toBe(null)
  expect(problems).toHaveLength(1)
})

/** Serves a registry, and returns the options to read it. */
async function served(isSigned: boolean) {
  const folder = join(temp().path, 'packs')
  mkdirSync(folder)
  const keys = newMinisignKeys()
  const secret = isSigned ? parseSecretKey(keys.secretKey) : null
  await buildRegistry(folder, { secret, days: 10, yank: [] })
  const server = await serveFolder(folder)
  const known = { name: 'packs', url: server.url, key: isSigned ? keys.publicKey : null, serial: 0 }
  const reading = { lists: temp().path, folder: join(temp().path, 'kept') }
  return { folder, server, secret, known, reading }
}

const html = '<!doctype html><title>Log in to the network</title>\n'

test.each([true, false])(
  'keeps the cached index after an HTML response (signed: %p)',
  async (isSigned) => {
    const { folder, server, secret, known, reading } = await served(isSigned)
    const files = isSigned ? ['index.json', 'index.json.minisig'] : ['index.json']
    const kept = async () => {
      const [name] = readdirSync(reading.folder)
      return readFileSync(join(reading.folder, name!), 'utf8')
    }
    await readRegistry(known, reading)
    const [before, texts] = [await kept(), files.map((name) => readFileSync(join(folder, name)))]
    for (const name of files) {
      writeFileSync(join(folder, name), html)
      await expect(readRegistry(known, reading)).rejects.toThrow(/^Cannot use registry /)
      expect(await kept()).toBe(before)
    }
    files.forEach((name, i) => writeFileSync(join(folder, name), texts[i]!))
    expect(await readRegistry(known, reading)).toMatchObject({ serial: 1 })
    expect(server.statuses.at(-1)).toBe(304)
    // An older or expired index is not cached either.
    await expect(readRegistry({ ...known, serial: 9 }, reading)).rejects.toThrow(
      '9 was seen before',
    )
    rmSync(join(folder, 'index.json'))
    await buildRegistry(folder, { secret, days: 10, yank: [], serial: 20, now: new Date(0) })
    await expect(readRegistry(known, reading)).rejects.toThrow('held until')
    expect(await kept()).toBe(before)
    server[Symbol.dispose]()
    expect(await readRegistry(known, reading)).toMatchObject({ serial: 1 })
  },
)

test('fetches a damaged cached index again', async () => {
  const { server, known, reading } = await served(true)
  using _server = server
  await readRegistry(known, reading)
  const [name] = readdirSync(reading.folder)
  const path = join(reading.folder, name!)
  for (const text of ['', '{}', html, readFileSync(path, 'utf8').replace('serial', 'number')]) {
    writeFileSync(path, text)
    expect(await readRegistry(known, reading)).toMatchObject({ serial: 1 })
    expect(server.statuses.slice(-2)).toEqual([200, 200])
  }
})
