import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { clearStore } from '../../../src/store/clear.ts'
import { publish as publishRow } from '../../../src/store/publish.ts'
import { readEntries } from '../../../src/store/registry.ts'
import type { RemoteBucket } from '../../../src/store/remote-bucket.ts'
import { ageMs, copies, names, openRemotes, read, written } from '../../support/remotes.ts'
import { openEach } from '../../support/run/dispose.ts'

const seen = ({ folder }: RemoteBucket, id: string) =>
  readEntries(folder).then((all) => all.some(({ live }) => live.id === id))
const remotes = openEach(openRemotes)

test('reads a version that another machine published, and copies it once', async () => {
  const { id } = await written(remotes().one, 'lib')
  expect(await read(remotes().two, 'lib')).toBe('some text')
  expect(copies(remotes().two)).toEqual([id])
  remotes().server.asked = []
  await remotes().two.refresh('now')
  expect(await read(remotes().two, 'lib')).toBe('some text')
  expect(new Set(remotes().server.asked)).toEqual(new Set(['GET registry.json']))
})

test('notices a change without a request per read', async () => {
  await written(remotes().one, 'lib')
  await remotes().two.refresh('now')
  remotes().server.asked = []
  const started = performance.now()
  for (let i = 0; i < 500; i++) await readEntries(remotes().two.folder)
  const most = Math.ceil((performance.now() - started) / ageMs) + 1
  expect(remotes().server.asked.length).toBeLessThanOrEqual(most)
  const { id } = await written(remotes().one, 'lib', 'new text')
  while (!(await seen(remotes().two, id))) await Bun.sleep(5)
  expect(await read(remotes().two, 'lib')).toBe('new text')
})

test('rolls back without copying, and clears the whole store', async () => {
  const first = await written(remotes().one, 'lib')
  await written(remotes().one, 'lib', 'second')
  await remotes().two.refresh('now')
  await publishRow(remotes().two.folder, ([before]) => ({
    ...before!,
    before: before!,
    live: before!.previous!,
  }))
  expect(existsSync(join(remotes().two.folder, 'generations'))).toBe(false)
  expect(await seen(remotes().two, first.id)).toBe(true)
  expect(await clearStore(remotes().two.folder, () => true)).toEqual([])
  await remotes().one.refresh('now')
  expect(await names(remotes().one)).toEqual([])
})
