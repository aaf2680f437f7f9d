import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { repairStore } from '../../../src/library/doctor/repair.ts'
import { readEntries } from '../../../src/store/registry.ts'
import { openRemotes, read, written } from '../../support/remotes.ts'
import { refused } from '../../support/servers/s3-server.ts'
import { openTestStore } from '../../support/test-store.ts'

test('fetches a damaged generation again from the bucket, even without write access', async () => {
  await using remotes = await openRemotes()
  const { one, two, server } = remotes
  const { id } = await written(one, 'lib')
  expect(await read(two, 'lib')).toBe('some text')
  server.fault = (asked) => (asked.startsWith('GET') ? null : refused(403, 'AccessDenied'))
  writeFileSync(join(two.folder, 'generations', id, 'search.bin'), 'other')
  await expect(read(two, 'lib')).rejects.toThrow('search.bin')
  using store = openTestStore(two.folder)
  const lines = await Array.fromAsync(repairStore(store.opened, { lockTimeoutMs: 5000 }))
  expect(lines.map(({ ok }) => ok)).toEqual([true])
  expect(lines[0]!.line).toMatch(/^lib 1: .*search\.bin .*; copied again from s3:\/\/docs\/team$/)
  expect(await read(two, 'lib')).toBe('some text')
  expect((await readEntries(two.folder))[0]!.live.id).toBe(id)
})
