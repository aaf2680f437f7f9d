import { beforeEach, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import {
  replaceVersion,
  entryLocker,
  unchangedState,
  type NextState,
  type VersionRun,
  type GenerationBuild,
} from '../../../src/library/add/replace-version.ts'
import { lockVersion } from '../../../src/library/lock.ts'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { changeEntries, readEntries, type Entry } from '../../../src/store/registry.ts'
import { pageRow, writeGeneration } from '../../support/store.ts'
import { openTestStore } from '../../support/test-store.ts'
import { openEach } from '../../support/run/dispose.ts'

const request = { lockTimeoutMs: 0 }
let entry: Entry
const temp = openEach(() => createTempFolder('og replace '))
const store = openEach(() => openTestStore(temp().path, { embedder: null }))
beforeEach(async () => {
  await writeGeneration(temp().path, { 'a.md': 'Kettles boil.' }, { library: 'kettle' })
  entry = (await readEntries(temp().path))[0]!
})

const generations = () => readdirSync(join(temp().path, 'generations')).sort()

/** Writes a generation of one page without chunks. */
async function writePage(_run: VersionRun, { generation }: GenerationBuild): Promise<NextState> {
  const writer = await generation()
  await writer.appendPages([pageRow('b.md', 'Pots simmer.')])
  return { ...unchangedState({ ...entry.live, id: writer.id }), how: 'written' }
}

test('publishes a new generation, keeps the previous one, and releases the lock', async () => {
  const phases: string[] = []
  const onProgress = ({ phase }: { phase: string }, library: string) =>
    void phases.push(`${library} ${phase}`)
  const replaced = await replaceVersion(
    store().opened,
    { ...request, onProgress },
    {
      turn: entryLocker(entry),
      async write(run, work) {
        await expect(lockVersion(temp().path, { ...request, ...entry })).rejects.toThrow('kettle')
        run.report({ phase: 'cutting' })
        return await writePage(run, work)
      },
    },
  )
  expect(replaced.result).toMatchObject({ library: 'kettle', status: 'updated' })
  const [row] = await readEntries(temp().path)
  expect(row!.previous!.id).toBe(entry.live.id)
  expect(generations()).toEqual([entry.live.id, row!.live.id].sort())
  expect(phases).toEqual(['kettle cutting', 'kettle indexing'])
  using _lock = await lockVersion(temp().path, { ...request, ...entry })
})

test('updates only the registry entry if the live generation is current', async () => {
  const live = { ...entry.live, failed: 7 }
  const { result } = await replaceVersion(store().opened, request, {
    turn: entryLocker(entry),
    current: async () => live,
    write: () => Promise.reject(new Error('this is not called')),
  })
  expect(result.status).toBe('unchanged')
  expect((await readEntries(temp().path)).map((it) => it.live)).toEqual([live])
})

test('keeps the previous generation after an error, and deletes the new one', async () => {
  const plan = {
    turn: entryLocker(entry),
    async write(run: VersionRun, work: GenerationBuild): Promise<NextState> {
      await writePage(run, work)
      throw new Error('the disk is full')
    },
  }
  await expect(replaceVersion(store().opened, request, plan)).rejects.toThrow('the disk is full')
  expect(await readEntries(temp().path)).toEqual([entry])
  expect(generations()).toEqual([entry.live.id])
})

test('does not publish a version that has been removed in the meantime, and releases the lock', async () => {
  const publishing = replaceVersion(store().opened, request, {
    turn: entryLocker(entry),
    async write(run, work) {
      await changeEntries(temp().path, () => [])
      return await writePage(run, work)
    },
  })
  await expect(publishing).rejects.toThrow('it was changed in the meantime')
  const plan = { turn: entryLocker(entry), write: writePage }
  await expect(replaceVersion(store().opened, request, plan)).rejects.toThrow('kettle')
  using _lock = await lockVersion(temp().path, { ...request, ...entry })
})
