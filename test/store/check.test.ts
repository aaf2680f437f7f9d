import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createTempFolder } from '../../src/platform/file/files.ts'
import { checkLance, readStoreHealth } from '../../src/store/check.ts'

test('LanceDB writes, indexes and searches', async () => {
  const { ok, detail } = await checkLance()
  expect([ok, detail]).toEqual([true, expect.stringContaining('writes, indexes and searches')])
})

test('treats a missing store as empty and does not create it', async () => {
  await using temp = await createTempFolder('og-check')
  const folder = join(temp.path, 'store')
  expect(await readStoreHealth(folder)).toEqual({ entries: [], broken: [], orphans: [] })
  expect(existsSync(folder)).toBe(false)
})
