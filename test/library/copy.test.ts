import { expect, test } from 'bun:test'
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { copyStore, checkStoreFolder } from '../../src/library/copy.ts'
import { createTempFolder } from '../../src/platform/file/files.ts'
import { sweepGenerations } from '../../src/store/generation.ts'
import { findGenerationFault } from '../../src/store/file-checks.ts'
import { readEntries, type Entry } from '../../src/store/registry.ts'
import { openRemotes, read, written } from '../support/remotes.ts'
import { refused } from '../support/servers/s3-server.ts'
import { writeGeneration } from '../support/store.ts'
import { openEach } from '../support/run/dispose.ts'
import { writeFiles } from '../support/repository.ts'

const temp = openEach(() => createTempFolder('og copy'))
const remotes = openEach(openRemotes)
const from = () => join(temp().path, 'from')

const all = (entries: Entry[]) => entries

/** Copies a store and returns lines such as `lib copied`. */
async function copied(from: string, to: string, pick = all): Promise<string[]> {
  const outcomes = await Array.fromAsync(copyStore({ from, to, pick, lockTimeoutMs: 60_000 }))
  return outcomes.map(
    ({ library, status, problem }) =>
      `${library} ${status}${problem ? `: ${problem.message}` : ''}`,
  )
}

const write = (library: string, text: string) =>
  writeGeneration(from(), { a: text }, { library, embedder: null })

test('copies from a folder to a bucket and back, byte for byte, and sends only new data', async () => {
  const a = await write('a', 'text of a')
  await write('b', 'text of b')
  expect(await copied(from(), remotes().one.folder)).toEqual(['a copied', 'b copied'])
  expect(await copied(from(), remotes().one.folder)).toEqual(['a unchanged', 'b unchanged'])
  expect(await read(remotes().two, 'b')).toBe('text of b')
  const to = join(temp().path, 'to')
  expect(await copied(remotes().two.folder, to, (it) => it.slice(0, 1))).toEqual(['a copied'])
  expect(await findGenerationFault(to, a.id)).toBeNull()
  await write('a', 'new text')
  expect(await copied(from(), to)).toEqual(['a copied', 'b copied'])
  const [entry] = await readEntries(to)
  expect([entry!.previous!.id, readdirSync(join(to, 'copying'))]).toEqual([a.id, []])
})

test('leaves a readable store after an interrupted copy, and resumes it', async () => {
  const { id } = await written(remotes().one, 'lib')
  const large = remotes()
    .keysOf(id)
    .find((key) => key.endsWith('.lance'))!
  remotes().server.fault = (asked) =>
    asked === `GET generations/${id}/vocabulary.txt` ? refused(403, 'Denied') : null
  const to = join(temp().path, 'to')
  expect((await copied(remotes().two.folder, to))[0]).toStartWith(
    'lib failed: Cannot read store s3:',
  )
  expect(await readEntries(to)).toEqual([])
  remotes().server.fault = null
  remotes().server.asked = []
  expect(await copied(remotes().two.folder, to)).toEqual(['lib copied'])
  expect(remotes().server.asked).toContain(`GET generations/${id}/vocabulary.txt`)
  expect(remotes().server.asked).not.toContain(`GET ${large}`)
  await sweepGenerations(to)
  expect(await findGenerationFault(to, id)).toBeNull()
})

test('reports damaged libraries instead of copying them, and keeps the old copy', async () => {
  const { id } = await write('a', 'text of a')
  await write('b', 'text of b')
  writeFileSync(join(from(), 'generations', id, 'vocabulary.txt'), 'other')
  const to = join(temp().path, 'to')
  expect(await copied(from(), to)).toEqual([
    `a failed: Cannot read library "a" version "1": vocabulary.txt in ${from()} has changed since it was written`,
    'b copied',
  ])
  expect(existsSync(join(to, 'generations', id))).toBe(false)
  rmSync(join(from(), 'generations', id), { recursive: true })
  expect((await copied(from(), to))[0]).toStartWith('a failed: Cannot copy library "a" version "1"')
})

test('does not overwrite a version that has changed in the target in the meantime', async () => {
  const to = join(temp().path, 'to')
  const a = await write('a', 'text')
  await copied(from(), to)
  const b = await write('a', 'newer text')
  const over = (id: string | null) =>
    Array.fromAsync(copyStore({ from: from(), to, pick: all, lockTimeoutMs: 60_000, over: id }))
  const [late] = await over(null)
  expect(late!.problem!.message).toBe(
    'Cannot publish library "a" version "1": another ' +
      'builder has published it in the meantime; that version was kept',
  )
  expect((await readEntries(to))[0]!.live.id).toBe(a.id)
  expect((await over(a.id))[0]!.status).toBe('copied')
  expect((await readEntries(to))[0]!.live.id).toBe(b.id)
})

test('rejects a missing folder and a folder with other files, and accepts an empty one', async () => {
  await using temp = await createTempFolder('og-store-folder')
  const at = (name: string) => join(temp.path, name)
  writeFiles(temp.path, { 'photos/cat.txt': 'x', 'store/registry.json': '{}' })
  const look = (dbPath: string, isStoreNamed = true) => checkStoreFolder({ dbPath, isStoreNamed })
  const check = (name: string, why: string) =>
    expect(look(at(name))).rejects.toThrow(`Cannot read store ${at(name)}: ${why}`)
  await check('none', 'there is no such folder')
  await check('photos', 'it contains no og index')
  await check('photos/cat.txt', 'not a directory')
  await look(at('store'))
  await look(at('none'), false)
  await using empty = await createTempFolder('og-store-empty')
  await look(empty.path)
})
