import { expect, test } from 'bun:test'
import { statSync } from 'node:fs'
import { fileStamp, fileValidator, parseFileValidator } from '../../src/source/file-validator.ts'
import { writeFiles } from '../support/repository.ts'
import { createTempFolder } from '../../src/platform/file/files.ts'
import { join } from 'node:path'

const old = { ...statSync(import.meta.path, { bigint: true }), ctimeMs: 0n }
const bytes = Buffer.from('text')

test('identifies a file by size, times and inode, and by its bytes', () => {
  const known = parseFileValidator(fileValidator(old, bytes))
  expect(known?.stamp).toBe(fileStamp(old))
  expect(parseFileValidator(fileValidator(old, Buffer.from('text')))).toEqual(known)
  expect(parseFileValidator(fileValidator(old, Buffer.from('other')))!.hash).not.toBe(known!.hash)
  for (const name of ['size', 'mtimeNs', 'ctimeNs', 'ino'] as const) {
    expect(fileStamp({ ...old, [name]: old[name] + 1n })).not.toBe(known!.stamp)
  }
})

test('records no stamp for a file that was just written', async () => {
  await using temp = await createTempFolder('og-stamp')
  writeFiles(temp.path, { 'a.md': 'text' })
  const stats = statSync(join(temp.path, 'a.md'), { bigint: true })
  expect(parseFileValidator(fileValidator(stats, bytes))!.stamp).toBe('-')
})

test('returns null for validators that are not from a file', () => {
  for (const validator of [undefined, '', 'abc', '"etag"']) {
    expect(parseFileValidator(validator)).toBe(null)
  }
})
