import { expect, test } from 'bun:test'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { appendSynced } from '../../../src/platform/file/append.ts'
import { createTempFolder } from '../../../src/platform/file/files.ts'

test('appends text and bytes, and creates the file', async () => {
  await using temp = await createTempFolder('og append')
  const path = join(temp.path, 'a')
  await appendSynced(path, 'ü')
  const { size, ino } = await appendSynced(path, Buffer.from([10]))
  expect(readFileSync(path, 'utf8')).toBe('ü\n')
  expect([size, ino]).toEqual([3, statSync(path).ino])
})
