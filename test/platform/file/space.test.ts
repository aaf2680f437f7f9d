import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { explainDiskError, freeBytes, canWrite } from '../../../src/platform/file/space.ts'

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
