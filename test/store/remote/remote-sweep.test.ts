import { expect, test } from 'bun:test'
import { sweepGenerations } from '../../../src/store/generation.ts'
import { graceMs } from '../../../src/store/remote/remote-sweep.ts'
import { copies, names, openRemotes, read, written } from '../../support/remotes.ts'
import { refused } from '../../support/servers/s3-server.ts'
import { publish, writeGeneration } from '../../support/store.ts'
import { openEach } from '../../support/run/dispose.ts'

const remotes = openEach(openRemotes)

test("keeps replaced generations for an hour, by the bucket's clock", async () => {
  const first = await written(remotes().one, 'lib')
  await written(remotes().one, 'lib', 'second')
  const third = await written(remotes().one, 'lib', 'third')
  await sweepGenerations(remotes().one.folder)
  expect(copies(remotes().one)).not.toContain(first.id)
  expect(remotes().keysOf(first.id).length).toBeGreaterThan(0)
  remotes().server.aheadMs = 1.1 * graceMs
  await remotes().one.refresh('now')
  await sweepGenerations(remotes().one.folder)
  expect(remotes().keysOf(first.id)).toEqual([])
  expect(remotes().keysOf(third.id).length).toBeGreaterThan(0)
  expect(new TextDecoder().decode(remotes().server.objects.get('registry.json')!.body)).toContain(
    '"retired": {}',
  )
  await remotes().two.refresh('now')
  expect(await read(remotes().two, 'lib')).toBe('third')
})

test('deletes the remains of a killed builder after two hours, and never references them again', async () => {
  await written(remotes().one, 'lib')
  const left = await writeGeneration(remotes().two.folder, { a: 'left' }, { embedder: null })
  remotes().server.fault = (asked) =>
    asked.endsWith('manifest.json') ? refused(403, 'Denied') : null
  await publish(remotes().two.folder, 'other', left).catch(() => {})
  remotes().server.fault = null
  expect(await remotes().one.orphans({ isDry: false })).toEqual({ ids: [], bytes: 0, waiting: 0 })
  remotes().server.aheadMs = 1.1 * graceMs
  await remotes().one.refresh('now')
  expect(await remotes().one.orphans({ isDry: true })).toEqual({ ids: [], bytes: 0, waiting: 1 })
  expect(await remotes().one.orphans({ isDry: false })).toEqual({ ids: [], bytes: 0, waiting: 1 })
  await expect(publish(remotes().two.folder, 'other', left)).rejects.toThrow(
    'another process discarded it',
  )
  remotes().server.aheadMs = 2.2 * graceMs
  await remotes().one.refresh('now')
  expect((await remotes().one.orphans({ isDry: true })).ids).toEqual([left.id])
  expect((await remotes().one.orphans({ isDry: false })).ids).toEqual([left.id])
  expect(remotes().keysOf(left.id)).toEqual([])
  expect(await names(remotes().one)).toEqual(['lib'])
})
