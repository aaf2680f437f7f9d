import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { openKernels } from '../../../src/platform/kernels/kernels.ts'
import { readManifest } from '../../../src/store/integrity/manifest.ts'
import { openEntries } from '../../../src/store/reading.ts'
import type { RemoteBucket } from '../../../src/store/remote-bucket.ts'
import { copies, openRemotes, read, written } from '../../support/remotes.ts'
import { openLive } from '../../support/store.ts'
import { openEach } from '../../support/run/dispose.ts'

const size = ({ folder }: RemoteBucket, id: string) =>
  readManifest(join(folder, 'generations', id)).files.reduce((sum, file) => sum + file.size, 0)
const remotes = openEach(openRemotes)

test('keeps open copies, and the most recently used ones within the limit', async () => {
  const ids = []
  for (const library of ['a', 'b', 'c']) ids.push((await written(remotes().one, library)).id)
  const small = await remotes().machine('small', 1.5 * size(remotes().one, ids[0]!))
  const [open] = await openLive(small.folder, 'a')
  expect(await read(small, 'b')).toBe('some text')
  expect(copies(small)).toEqual([ids[0]!, ids[1]!].sort())
  open![Symbol.dispose]()
  expect(await read(small, 'c')).toBe('some text')
  expect(copies(small)).toEqual([ids[2]!])
  expect(await read(small, 'a')).toBe('some text')
})

test('copies all generations of one search, even above the cache limit', async () => {
  for (const library of ['a', 'b']) await written(remotes().one, library)
  const small = await remotes().machine('small', 0)
  const { opened } = await openEntries(small.folder, openKernels(null), {
    pick: (all) => all,
    openIds: new Set(),
  })
  expect(opened).toHaveLength(2)
  for (const open of opened) {
    expect((await open.page('a'))?.text).toBe('some text')
    open[Symbol.dispose]()
  }
  expect(await read(small, 'a')).toBe('some text')
})
