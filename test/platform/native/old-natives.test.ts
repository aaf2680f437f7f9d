import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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
