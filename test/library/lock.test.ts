import { expect, test } from 'bun:test'
import { createTempFolder } from '../../src/platform/file/files.ts'
import { noProgress } from '../../src/library/library.ts'
import { isSameEntry, lockEntry, lockVersion, publishLive } from '../../src/library/lock.ts'
import { removeVersion } from '../../src/library/remove.ts'
import { readEntries, type Entry } from '../../src/store/registry.ts'
import { writeGeneration } from '../support/store.ts'

const request = { lockTimeoutMs: 0 }
const texts = { 'a.md': 'Kettles boil.' }

test('a folder has one dated version; other versions are told apart by their names', () => {
  const of = (version: string) => ({ key: 'kettle', version }) as Entry
  const check = (a: string, b: string, expected: boolean) =>
    expect(isSameEntry(of(a), { key: 'kettle', version: b })).toBe(expected)
  check('1.0', '1.0', true)
  check('1.0', '1.1', false)
  check('local-2026-11-21', 'local-2026-11-22', true)
  check('local-2026-11-21', '1.0', false)
  expect(isSameEntry(of('1.0'), { key: 'pot', version: '1.0' })).toBe(false)
})

test('a turn holds the lock, and has the row as it is since', async () => {
  await using temp = await createTempFolder('og live ')
  await writeGeneration(temp.path, texts, { library: 'kettle' })
  const [before] = await readEntries(temp.path)
  const live = { ...before!.live, failed: 7 }
  await publishLive(temp.path, before!, { live })
  const phases: string[] = []
  const onProgress = ({ phase }: { phase: string }) => void phases.push(phase)
  {
    using locked = await lockEntry(
      temp.path, before!, { progress: { ...noProgress }, request: { ...request, onProgress } })
    expect(locked.entry.live.failed).toBe(7)
    locked.report({ phase: 'embedding' })
    expect(lockVersion(temp.path, { ...request, ...before! })).rejects.toThrow('kettle')
  }
  expect(phases).toEqual(['embedding'])
  using _lock = await lockVersion(temp.path, { ...request, ...before! })
})

test('where the row is gone the turn is given back', async () => {
  await using temp = await createTempFolder('og live ')
  await writeGeneration(temp.path, texts, { library: 'kettle' })
  const [before] = await readEntries(temp.path)
  await removeVersion(temp.path, { ...request, library: 'kettle', version: before!.version })
  const locked = lockEntry(temp.path, before!, { progress: { ...noProgress }, request })
  expect(await locked.catch((error) => error.message)).toContain('kettle')
  using _lock = await lockVersion(temp.path, { ...request, ...before! })
})

test('a library keeps the name that it was first given', async () => {
  await using temp = await createTempFolder('og live ')
  await writeGeneration(temp.path, texts, { library: 'Kettle' })
  const [before] = await readEntries(temp.path)
  await publishLive(temp.path, { ...before!, library: 'KETTLE', version: '2' }, before!)
  expect((await readEntries(temp.path)).map(({ library }) => library)).toEqual(['Kettle', 'Kettle'])
})
