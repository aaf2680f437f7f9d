import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  recordRollbackNatives,
  readRollbackNatives,
} from '../../../src/platform/native/rollback-natives.ts'
import { freeOldNatives } from '../../../src/platform/native/old-natives.ts'

test('deletes the folders of other versions unless they are leased', async () => {
  const root = mkdtempSync(join(tmpdir(), 'natives-'))
  for (const name of ['00000000', '11111111', '22222222', 'verified']) {
    mkdirSync(join(root, name))
    writeFileSync(join(root, name, 'lease'), '')
    writeFileSync(join(root, name, 'a.so'), 'x'.repeat(500))
  }
  const lease = new Database(join(root, '11111111', 'lease'), { readonly: true })
  lease.query('BEGIN').get()
  lease.query('SELECT count(*) FROM sqlite_master').get()
  const free = (isDry: boolean) => freeOldNatives(root, { own: ['00000000'], isDry })
  expect(await free(true)).toEqual({ count: 1, bytes: 500, inUse: 1 })
  expect(existsSync(join(root, '22222222'))).toBe(true)
  expect(await free(false)).toEqual({ count: 1, bytes: 500, inUse: 1 })
  lease.close()
  expect(await free(false)).toEqual({ count: 1, bytes: 500, inUse: 0 })
  const left = ['00000000', '11111111', '22222222', 'verified'].map((name) =>
    existsSync(join(root, name)),
  )
  expect(left).toEqual([true, false, false, true])
  rmSync(root, { recursive: true })
})

test('keeps the folders that a rollback needs while its executable exists', async () => {
  const root = mkdtempSync(join(tmpdir(), 'natives-'))
  const [previous, elsewhere] = ['og.previous', 'og.elsewhere'].map((name) => join(root, name))
  for (const name of ['00000000', '11111111', '22222222', '33333333']) {
    mkdirSync(join(root, name))
    writeFileSync(join(root, name, 'lease'), '')
  }
  for (const path of [previous!, elsewhere!]) writeFileSync(path, '')
  await recordRollbackNatives(root, { path: previous!, folders: ['11111111'] })
  await recordRollbackNatives(root, { path: elsewhere!, folders: ['22222222'] })
  const free = async () => (await freeOldNatives(root, { own: ['00000000'], isDry: false })).count
  const left = () =>
    readdirSync(root)
      .filter((name) => /^\d+$/.test(name))
      .sort()
  expect(await free()).toBe(1)
  expect(left()).toEqual(['00000000', '11111111', '22222222'])
  await recordRollbackNatives(root, { path: previous!, folders: ['00000000'] })
  rmSync(elsewhere!)
  expect(await free()).toBe(2)
  expect(left()).toEqual(['00000000'])
  writeFileSync(join(root, '.kept.json'), '{"a": 5, ')
  expect(await free()).toBe(0)
  await recordRollbackNatives(root, { path: previous!, folders: ['00000000'] })
  expect(await readRollbackNatives(root)).toEqual(['00000000'])
  rmSync(root, { recursive: true })
})
