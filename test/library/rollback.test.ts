import { expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { rollbackVersion } from '../../src/library/rollback.ts'
import { createTempFolder } from '../../src/platform/file/files.ts'
import { readEntries } from '../../src/store/registry.ts'
import { writeFiles } from '../support/repository.ts'
import { openTestStore } from '../support/test-store.ts'
import { openEach } from '../support/run/dispose.ts'

const temp = openEach(() => createTempFolder("og rollback 'ü"))
const docs = () => join(temp().path, 'docs')
const folder = () => join(temp().path, 'store')
const store = openEach(() => openTestStore(folder()))

async function add(text: string, version = '1') {
  writeFiles(docs(), { 'a.md': text })
  await store().add('Lib', docs(), { version })
}

const rollback = (version: string | null = null) =>
  rollbackVersion(folder(), { library: 'lib', version, lockTimeoutMs: 0 })

async function check(text: string) {
  expect((await store().search('words', { library: 'lib', version: '1' }))[0]!.text).toBe(text)
}

test('swaps the live and the previous generation each time', async () => {
  await add('words one')
  await add('words two')
  const [entry] = await readEntries(folder())
  await check('words two')
  expect(await rollback()).toMatchObject({ library: 'Lib', version: '1', pages: 1 })
  await check('words one')
  const flipped = { ...entry!, live: entry!.previous!, previous: entry!.live }
  expect(await readEntries(folder())).toEqual([flipped])
  await rollback('1')
  await check('words two')
  expect(await readEntries(folder())).toEqual([entry!])
})

test('starts the next add from the live generation', async () => {
  await add('words one')
  await add('words two')
  await rollback()
  await add('words three')
  await rollback()
  await check('words one')
})

test('rolls back the only version that has a previous generation', async () => {
  await add('words one')
  await add('words two', '2')
  await add('words three')
  expect(await rollback()).toMatchObject({ version: '1' })
  await add('words four', '2')
  await expect(rollback()).rejects.toThrow('Cannot tell which version of "lib" to roll back')
})

test('changes nothing if there is no previous generation', async () => {
  await expect(rollback()).rejects.toThrow('Library "lib" not found')
  await add('words one')
  await expect(rollback()).rejects.toThrow('it has no previous state')
  await expect(rollback('1')).rejects.toThrow('it has no previous state')
  await expect(rollback('2')).rejects.toThrow('Version "2" not found')
  await add('words two')
  const entries = await readEntries(folder())
  rmSync(join(folder(), 'generations', entries[0]!.previous!.id), { recursive: true })
  await expect(rollback()).rejects.toThrow('it has no previous state')
  expect(await readEntries(folder())).toEqual(entries)
})
