import { expect, test } from 'bun:test'
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import {
  explainDiskError,
  freeBytes,
  canWrite,
  sizeOnDisk,
  formatBytes,
} from '../../../src/platform/file/space.ts'
import { tmpdir } from 'node:os'

test('checks the parent of a missing folder, without creating the folder', async () => {
  await using temp = await createTempFolder('og-space')
  const folder = join(temp.path, 'not', 'yet')
  expect(await canWrite(folder)).toBe(true)
  expect(await freeBytes(folder)).toBeGreaterThan(0)
  expect(existsSync(join(temp.path, 'not'))).toBe(false)
})

test('explains disk errors and their remedies', () => {
  const check = (error: unknown, why: string | null) =>
    expect(explainDiskError(error, 'OG_DB_PATH')?.why ?? null).toBe(why)
  const coded = (message: string, code: string) => Object.assign(new Error(message), { code })
  check(coded('ENOSPC: no space left on device, write', 'ENOSPC'), 'the disk is full')
  check(coded('database or disk is full', 'SQLITE_FULL'), 'the disk is full')
  check(new Error('LanceError(IO): Disk quota exceeded (os error 122)'), 'the disk is full')
  const larger = 'a file would be larger than this process may write'
  check(new Error('LanceError(IO): File too large (os error 27), /src/writer.rs:255:9'), larger)
  check(coded('EFBIG: file too large, write', 'EFBIG'), larger)
  check(new Error('Read-only file system (os error 30)'), 'it is read-only')
  check(new Error('another fault'), null)
})

test('formats bytes for people', () => {
  const check = (bytes: number, expected: string) => expect(formatBytes(bytes)).toBe(expected)
  check(0, '0 B')
  check(999, '999 B')
  check(1000, '1.0 kB')
  check(34_210_000, '34.2 MB')
  check(248_900_000, '249 MB')
  check(2e15, '2000 TB')
})

test('adds up the sizes of the files below a folder without following links', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'size-'))
  mkdirSync(join(folder, 'a'))
  writeFileSync(join(folder, 'a', 'b'), 'x'.repeat(1000))
  writeFileSync(join(folder, 'c'), 'x')
  expect(await sizeOnDisk(folder)).toBe(1001)
  symlinkSync('/usr', join(folder, 'link'))
  expect(await sizeOnDisk(folder)).toBeLessThan(1100)
  expect(await sizeOnDisk(join(folder, 'none'))).toBe(0)
  rmSync(folder, { recursive: true })
})
