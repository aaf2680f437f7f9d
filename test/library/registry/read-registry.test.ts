import { expect, test } from 'bun:test'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildRegistry } from '../../../src/library/registry/build-registry.ts'
import {
  choosePackFromRegistries,
  readRegistry,
  choosePack,
  searchPacks,
} from '../../../src/library/registry/read-registry.ts'
import {
  changeRegistries,
  readRegistries,
  rememberSerial,
} from '../../../src/library/registry/known-registries.ts'
import { newMinisignKeys, parseSecretKey } from '../../../src/platform/minisign.ts'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { serveFolder } from '../../support/pack/server.ts'
import { openEach } from '../../support/run/dispose.ts'
import { indexOf } from '../../support/pack/registry-index.ts'

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
  await expect(readRegistry(known, later)).rejects.toThrow('it expired at')
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
    await expect(readRegistry(known, reading)).rejects.toThrow('it expired at')
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

test('chooses the newest pack of the matching version', () => {
  const index = indexOf([
    { version: '1.0', path: 'a.ogpack' },
    { version: '1.0', path: 'b.ogpack', indexedAt: '2026-02-01T00:00:00Z' },
    { version: '1.10', path: 'c.ogpack' },
    { version: '1.9', path: 'd.ogpack' },
    { version: '2.0', path: 'e.ogpack', yanked: true },
    { library: 'torch', version: 'latest', path: 'f.ogpack' },
  ])
  const check = (library: string, version: string | null, expected: string | null) =>
    expect(choosePack(index, { library, version })?.path ?? null).toBe(expected)
  check('lamp', '1.0', 'b.ogpack')
  check('LAMP', null, 'c.ogpack')
  check('lamp', '1', 'c.ogpack')
  check('lamp', '^1', 'c.ogpack')
  check('lamp', '<1.10', 'd.ogpack')
  check('lamp', '2.0', 'e.ogpack')
  check('lamp', '2', null)
  check('torch', null, 'f.ogpack')
  check('none', null, null)
  expect(searchPacks(index, 'LAM p').map(({ path }) => path)).toEqual([
    'b.ogpack',
    'c.ogpack',
    'd.ogpack',
    'f.ogpack',
  ])
  expect(searchPacks(index, 'torch')).toHaveLength(1)
})

test('searches 5,000 packs and chooses one', async () => {
  const packs = Array.from({ length: 5000 }, (_, i) => ({
    library: `library-${i % 1000}`,
    version: `1.${(i / 1000) | 0}`,
    path: `p${i}.ogpack`,
  }))
  const index = indexOf(packs)
  expect(choosePack(index, { library: 'library-7', version: '1.3' })?.path).toBe('p3007.ogpack')
  expect(searchPacks(index, 'library-99')).toHaveLength(55)
})
