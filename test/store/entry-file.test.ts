import { beforeEach, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createTempFolder } from '../../src/platform/file/files.ts'
import {
  forgetEntryFiles,
  publishedIds,
  readEntryFile,
  writeEntryFile,
} from '../../src/store/entry-file.ts'
import { entryOf, generationNamed } from '../support/store.ts'
import { openEach } from '../support/run/dispose.ts'

const temp = openEach(() => createTempFolder('og entry'))
beforeEach(() => void mkdirSync(join(temp().path, 'generations', 'g1'), { recursive: true }))

const path = () => join(temp().path, 'generations', 'g1', 'entry.json')
const { previous: _, ...entry } = entryOf('Ray', generationNamed('g1'))

test('keeps the row that was written first', async () => {
  expect(await publishedIds(temp().path)).toEqual([])
  await writeEntryFile(temp().path, entry)
  await writeEntryFile(temp().path, { ...entry, version: '2' })
  expect(await readEntryFile(temp().path, 'g1')).toEqual(entry)
  expect(await publishedIds(temp().path)).toEqual(['g1'])
})

test('rejects a file that was changed or belongs to another generation', async () => {
  await writeEntryFile(temp().path, entry)
  const text = readFileSync(path(), 'utf8')
  for (const other of [text.replace('"Ray"', '"Rai"'), text.slice(0, -9), '', 'null']) {
    writeFileSync(path(), other)
    expect(await readEntryFile(temp().path, 'g1')).toBe(null)
  }
  mkdirSync(join(temp().path, 'generations', 'g2'))
  writeFileSync(join(temp().path, 'generations', 'g2', 'entry.json'), text)
  expect(await readEntryFile(temp().path, 'g2')).toBe(null)
  expect(await readEntryFile(temp().path, 'gone')).toBe(null)
})

test('deletes entry files, and ignores missing ones', async () => {
  await writeEntryFile(temp().path, entry)
  await forgetEntryFiles(temp().path, ['g1', 'gone'])
  expect(existsSync(path())).toBe(false)
})
