import { afterEach, beforeEach, expect, setSystemTime, test } from 'bun:test'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { createTempFolder, type TempFolder } from '../../src/platform/file/files.ts'
import { changeEntries, readEntries, type Entry } from '../../src/store/registry.ts'
import { startScript } from '../support/child.ts'
import { entryOf, generationNamed } from '../support/store.ts'

let temp: TempFolder
let folder = ''
beforeEach(async () => {
  temp = await createTempFolder("og registry 'ü")
  folder = join(temp.path, 'store')
})
afterEach(async () => {
  setSystemTime()
  await temp[Symbol.asyncDispose]()
})

const entry = entryOf('Ray', generationNamed('g1'), "1.0 'x' \\ 🚀")

async function checkRefused(text: string, message: string, hint: string) {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'registry.json'), text)
  const calls = [readEntries(folder), changeEntries(folder, (it) => it)]
  const outcomes = await Promise.allSettled<unknown>(calls)
  for (const outcome of outcomes) {
    const { reason } = outcome as PromiseRejectedResult
    expect(reason.message).toBe(`Cannot read store ${join(folder, 'registry.json')}: ${message}`)
    expect(reason.hint ?? '').toContain(hint)
  }
  expect(readFileSync(join(folder, 'registry.json'), 'utf8')).toBe(text)
}

test('returns no entries for a missing store, and does not create it', async () => {
  expect(await readEntries(folder)).toEqual([])
  expect(existsSync(folder)).toBe(false)
})

test('parses the registry again only if it changed', async () => {
  await changeEntries(folder, () => [entry])
  const [first] = await readEntries(folder)
  const again = await readEntries(folder)
  expect(again[0]).toBe(first!)
  again.pop()
  expect(await readEntries(folder)).toHaveLength(1)
  const path = join(folder, 'registry.json')
  writeFileSync(path, readFileSync(path, 'utf8').replace('"g1"', '"g2"'))
  expect((await readEntries(folder))[0]!.live.id).toBe('g2')
})

test('notices every change, even with equal length and time', async () => {
  await changeEntries(folder, () => [entry])
  const path = join(folder, 'registry.json')
  // The state of a file that changed in the last three seconds is not reliable.
  const setAge = (ms: number) => setSystemTime(new Date(statSync(path).ctimeMs + ms))
  const settled = () => (setAge(3_100), readEntries(folder))
  const [first] = await settled()
  expect((await readEntries(folder))[0]).toBe(first!)
  const text = readFileSync(path, 'utf8')
  // Writes a text of the same length, and restores the old file times.
  const { atime, mtime, ctimeMs } = statSync(path)
  do {
    writeFileSync(path, text.replace('"g1"', '"g2"'))
    utimesSync(path, atime, mtime)
  } while (statSync(path).ctimeMs === ctimeMs)
  setAge(2_900)
  expect((await readEntries(folder))[0]!.live.id).toBe('g2')
  expect((await settled())[0]!.live.id).toBe('g2')
  // Replaces the file by one with an older file time.
  const other = join(folder, 'other.json')
  writeFileSync(other, text.replace('"g1"', '"g3"'))
  utimesSync(other, atime, mtime)
  renameSync(other, path)
  expect((await readEntries(folder))[0]!.live.id).toBe('g3')
  rmSync(folder, { recursive: true })
  expect(await readEntries(folder)).toEqual([])
})

test('reads entries as they were written', async () => {
  await changeEntries(folder, () => [entry])
  expect(await readEntries(folder)).toEqual([entry])
  expect(readdirSync(folder).sort()).toEqual(['locks', 'registry.json'])
})

test('stays unchanged if the change function fails', async () => {
  await changeEntries(folder, () => [entry])
  const failed = changeEntries(folder, () => {
    throw new Error('no')
  })
  await expect(failed).rejects.toThrow('no')
  await changeEntries(folder, (entries) => entries)
  expect(await readEntries(folder)).toEqual([entry])
})

test('loses no changes of several concurrent processes', async () => {
  const names = ['a', 'b', 'c']
  const children = names.map((name) =>
    startScript('store/registry-writer.ts', [folder, name, '20']),
  )
  expect(await Promise.all(children.map((child) => child.exited))).toEqual([0, 0, 0])
  const found = (await readEntries(folder)).map(({ library }) => library)
  expect(found.length).toBe(60)
  expect(new Set(found).size).toBe(60)
})

test('shows readers either the old or the new state, even if writers are killed', async () => {
  await changeEntries(folder, () => [entry])
  for (const delayMs of [40, 60, 80]) {
    await using child = startScript('store/registry-writer.ts', [folder, `k${delayMs}`, '1000'])
    await child.line()
    const until = performance.now() + delayMs
    let last = 0
    while (performance.now() < until) {
      const { length } = await readEntries(folder)
      expect(length).toBeGreaterThanOrEqual(last)
      last = length
    }
    await child.kill()
  }
  const before = await readEntries(folder)
  await changeEntries(folder, (entries) => [...entries, entryOf('last', generationNamed('g'))])
  expect((await readEntries(folder)).length).toBe(before.length + 1)
})

test('rejects a newer format and reports its number', async () => {
  const known = 'its format is 2, this og knows formats up to 1'
  await checkRefused('{"format": 2, "entries": []}', known, 'newer og')
})

test('rejects a file that is not a registry, and does not change it', async () => {
  await checkRefused('{"format": 1, "ent', 'it is not JSON', 'backup')
  await checkRefused('', 'it is not JSON', 'backup')
  for (const text of ['[]', 'null', '{"format": 1}', '{"entries": []}']) {
    await checkRefused(text, 'it is not an og registry', '')
  }
})

test('reads a read-only store, and rejects changes', async () => {
  await changeEntries(folder, () => [entry])
  chmodSync(folder, 0o555)
  chmodSync(join(folder, 'locks'), 0o555)
  chmodSync(join(folder, 'locks', 'registry'), 0o444)
  await using child = startScript('store/registry-writer.ts', [folder, 'a', '1'], {
    obeyModes: true,
  })
  expect(await child.line()).toBe('reads 1')
  expect(await child.line()).toStartWith(
    `OgError: Cannot lock the registry of ${folder}: permission denied`,
  )
  expect(await readEntries(folder)).toEqual([entry] satisfies Entry[])
})
