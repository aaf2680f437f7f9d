import { beforeEach, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Damage, FileFault, describeLanceError } from '../../../src/store/integrity/damage.ts'
import {
  generationSize,
  readManifest,
  writeManifest,
} from '../../../src/store/integrity/manifest.ts'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { sizeOnDisk } from '../../../src/platform/file/space.ts'
import { entryOf, generationNamed } from '../../support/store.ts'
import { writeFiles } from '../../support/repository.ts'
import { openEach } from '../../support/run/dispose.ts'

const temp = openEach(() => createTempFolder('og manifest'))
beforeEach(
  () =>
    void writeFiles(temp().path, { 'b.bin': 'bb', 'a/c.bin': '', lease: 'x', 'entry.json': '{}' }),
)

const path = () => join(temp().path, 'manifest.json')
const change = (from: string, to: string) =>
  writeFileSync(path(), readFileSync(path(), 'utf8').replace(from, to))

test('lists every file with size and hash, except files written later', async () => {
  await writeManifest(temp().path)
  const { files } = readManifest(temp().path)
  expect(files.map(({ path, size }) => [path, size])).toEqual([
    ['a/c.bin', 0],
    ['b.bin', 2],
  ])
  expect(files[0]!.sha256).toStartWith('e3b0c442')
})

test('sums the same size as the files on disk, with or without a readable manifest', async () => {
  await writeManifest(temp().path)
  const size = await sizeOnDisk(temp().path)
  expect(size).toBeGreaterThan(100)
  expect(await generationSize(temp().path)).toBe(size)
  // Recorded sizes are used: a listed file is not read.
  writeFiles(temp().path, { 'b.bin': 'bbbb' })
  expect(await generationSize(temp().path)).toBe(size)
  change('"size": 2', '"size": 3')
  expect(await generationSize(temp().path)).toBe(size + 2)
})

test('reports a missing, changed or truncated manifest as damage, and one of a newer og as newer', async () => {
  expect(() => readManifest(temp().path)).toThrow('manifest.json is missing')
  await writeManifest(temp().path)
  change('"size": 2', '"size": 3')
  expect(() => readManifest(temp().path)).toThrow(FileFault)
  for (const text of ['', '{', '{"format":1}', '[]', 'null']) {
    writeFileSync(path(), text)
    expect(() => readManifest(temp().path)).toThrow('manifest.json is damaged')
  }
  writeFileSync(path(), '{"format":99,"files":[]}')
  expect(() => readManifest(temp().path)).toThrow('its format is 99, limit is 1')
})

test('reports the damaged library version and the remedy', () => {
  const damage = new Damage(entryOf('Ray', generationNamed('g1'), '2'), 'it is cut')
  expect(damage).toMatchObject({ id: 'g1', library: 'Ray', version: '2' })
  expect([damage.message, damage.hint]).toEqual([
    'Cannot read library "Ray" version "2": it is cut',
    'og doctor --repair rebuilds it',
  ])
})

test('keeps the first sentence of a LanceDB error, without source locations', () => {
  const problems: [string, string][] = [
    ['lance error: IO, /build/x/io.rs:12:7\nmore', 'lance error: IO'],
    ['bad magic Caused by: deeper', 'bad magic'],
    ['reader.rs:9:1', 'LanceDB cannot read it'],
    ['x'.repeat(500), 'x'.repeat(300)],
  ]
  for (const [said, expected] of problems)
    expect(describeLanceError(new Error(said))).toBe(expected)
})
