import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createTempFolder } from '../../src/platform/files.ts'
import { freeBytes, mayWrite } from '../../src/platform/space.ts'

test('a folder that is not there is judged by the one above it, and not made', async () => {
  await using temp = await createTempFolder('og-space')
  const folder = join(temp.path, 'not', 'yet')
  expect(await mayWrite(folder)).toBe(true)
  expect(await freeBytes(folder)).toBeGreaterThan(0)
  expect(existsSync(join(temp.path, 'not'))).toBe(false)
})
