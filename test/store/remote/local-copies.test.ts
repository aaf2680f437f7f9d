import { expect, test } from 'bun:test'
import { readEntries } from '../../../src/store/registry.ts'
import type { RemoteBucket } from '../../../src/store/remote-bucket.ts'
import { fetchEntry } from '../../../src/store/remote/local-copies.ts'
import { ageMs, copies, names, openRemotes, read, written } from '../../support/remotes.ts'
import { refused } from '../../support/servers/s3-server.ts'
import { until } from '../../support/until.ts'
import { openEach } from '../../support/run/dispose.ts'

const remotes = openEach(openRemotes)

const slow = () => refused(503, 'SlowDown')

async function down(remote: RemoteBucket): Promise<void> {
  remotes().server.fault = slow
  await Bun.sleep(ageMs + 1)
  await names(remote)
  remotes().server.asked = []
}

test('copies the live generation of an entry', async () => {
  const { id } = await written(remotes().one, 'lib')
  const { folder } = remotes().two
  const [entry] = await readEntries(folder)
  await fetchEntry(folder, entry!)
  expect(copies(remotes().two)).toEqual([id])
})

test('fails at once for a version without a copy, and reads the other versions', async () => {
  const { one, two } = remotes()
  await written(one, 'lib')
  await written(one, 'other')
  expect(await read(two, 'lib')).toBe('some text')
  await down(two)
  expect(await read(two, 'lib')).toBe('some text')
  await expect(read(two, 'other')).rejects.toThrow(
    'Cannot read library "other" version "1": ' +
      'store s3://docs/team cannot be reached, and this machine has no copy of it',
  )
  expect(remotes().server.asked.filter((asked) => asked.includes('generations/'))).toEqual([])
})

test('reads the copied previous generation if the live one was never copied', async () => {
  const { one, two } = remotes()
  await written(one, 'lib', 'old text')
  expect(await read(two, 'lib')).toBe('old text')
  await written(one, 'lib', 'new text')
  await two.refresh('now')
  await down(two)
  expect(await read(two, 'lib')).toBe('old text')
})

test('treats a failure while copying as an outage', async () => {
  const { one, two, server } = remotes()
  const { id } = await written(one, 'lib')
  await two.refresh('now')
  server.fault = (asked) => (asked.includes(id) ? slow() : null)
  await expect(read(two, 'lib')).rejects.toThrow('this machine has no copy of it')
  expect(remotes().warned).toEqual([expect.stringContaining('503 SlowDown; using the copy')])
  server.fault = null
  await until('the bucket', async () => !(await names(two), two.isDown()))
  expect(await read(two, 'lib')).toBe('some text')
})
