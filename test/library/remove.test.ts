import { beforeEach, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { lockVersion } from '../../src/library/lock.ts'
import { removeVersion } from '../../src/library/rollback.ts'
import { createTempFolder } from '../../src/platform/file/files.ts'
import { changeEntries, readEntries } from '../../src/store/registry.ts'
import { writeFiles } from '../support/repository.ts'
import { openTestStore } from '../support/test-store.ts'
import { openEach } from '../support/run/dispose.ts'

const temp = openEach(() => createTempFolder("og remove 'ü"))
const docs = () => join(temp().path, 'docs')
const store = openEach(() => openTestStore(join(temp().path, 'store')))
beforeEach(async () => {
  for (const text of ['one', 'two']) {
    writeFiles(docs(), { 'a.md': text })
    await store().add('Lib', docs())
  }
  await store().add('Lib', docs(), { version: '2' })
})

/** Removes a version and checks which versions remain. */
async function check(library: string, version: string, left: string[]) {
  await removeVersion(store().folder, { library, version, lockTimeoutMs: 0 })
  expect((await readEntries(store().folder)).map((entry) => entry.version)).toEqual(left)
}

test('removes a version with all its generations, but no other version (W-58)', async () => {
  const removed = await removeVersion(store().folder, {
    library: 'lib',
    version: '1',
    lockTimeoutMs: 0,
  })
  expect(removed).toMatchObject({ library: 'Lib', version: '1', pages: 1 })
  const [entry, ...others] = await readEntries(store().folder)
  expect(others).toEqual([])
  expect(entry!.version).toBe('2')
  expect(readdirSync(join(store().folder, 'generations'))).toEqual([entry!.live.id])
  await expect(store().search('two', { version: '1' })).rejects.toThrow('Version "1" not found')
  expect((await store().search('two'))[0]!.version).toBe('2')
})

test('rejects a version that does not exist, and removes nothing', async () => {
  const before = await readEntries(store().folder)
  for (const [library, version] of [
    ['none', '1'],
    ['lib', '3'],
  ] as const) {
    const removing = removeVersion(store().folder, { library, version, lockTimeoutMs: 0 })
    await expect(removing).rejects.toThrow('not found')
  }
  expect(await readEntries(store().folder)).toEqual(before)
})

test("waits for the version's writer", async () => {
  const request = { library: 'lib', version: '1', lockTimeoutMs: 0 }
  {
    using _writer = await lockVersion(store().folder, request)
    await expect(check('LIB', '1', [])).rejects.toThrow('another process is writing it')
    await check('lib', '2', ['1'])
  }
  await check('lib', '1', [])
})

test('removes a version only once if two processes wait', async () => {
  const request = { library: 'lib', version: '1', lockTimeoutMs: 60_000 }
  const writer = await lockVersion(store().folder, request)
  const waiting = Promise.withResolvers<void>()
  const removing = removeVersion(store().folder, { ...request, onWait: waiting.resolve })
  const outcome = removing.then(() => 'removed', String)
  await waiting.promise
  await changeEntries(store().folder, (entries) => entries.filter((it) => it.version !== '1'))
  writer[Symbol.dispose]()
  expect(await outcome).toContain('Version "1" not found')
  expect(await readEntries(store().folder)).toHaveLength(1)
})

test('lets a reader finish with a removed version', async () => {
  using held = await store().entries((entries) => entries.filter((entry) => entry.version === '1'))
  await check('lib', '1', ['2'])
  expect((await held[0]!.open.page('doc:/a.md'))!.text).toBe('two')
})
