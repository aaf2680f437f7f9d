import { expect, test } from 'bun:test'
import { openEntryCache } from '../../src/library/entries.ts'
import { createTempFolder } from '../../src/platform/file/files.ts'
import { sweepGenerations } from '../../src/store/generation.ts'
import { changeEntries, type Entry } from '../../src/store/registry.ts'
import { kernels, publish, writeGeneration } from '../support/store.ts'
import { openEach } from '../support/run/dispose.ts'

const temp = openEach(() => createTempFolder('og entries'))
const entries = openEach(() => openEntryCache(temp().path, kernels))

const all = (found: Entry[]) => found

test('keeps a generation open for the next call', async () => {
  await writeGeneration(temp().path, { a: 'one' }, { library: 'lib' })
  const opens = []
  for (let turn = 0; turn < 2; turn++) {
    using held = await entries()(all)
    opens.push(held[0]!.open)
  }
  expect(opens[0]).toBe(opens[1]!)
})

test('opens a generation once for concurrent calls, and releases all locks', async () => {
  const { id } = await writeGeneration(temp().path, { a: 'one' }, { library: 'lib' })
  const held = await Promise.all([entries()(all), entries()(all), entries()(all)])
  expect(new Set(held.map(([one]) => one!.open)).size).toBe(1)
  for (const one of held) one[Symbol.dispose]()
  entries()[Symbol.dispose]()
  await changeEntries(temp().path, () => [])
  expect(await sweepGenerations(temp().path)).toEqual([id])
})

test('keeps a replaced generation open for its readers, and then closes it (W-33)', async () => {
  const { id } = await writeGeneration(temp().path, { a: 'old' }, { library: 'lib' })
  const first = await entries()(all)
  for (const a of ['new', 'newer']) await writeGeneration(temp().path, { a }, { library: 'lib' })
  {
    using second = await entries()(all)
    expect((await second[0]!.open.page('a'))!.text).toBe('newer')
    expect((await first[0]!.open.page('a'))!.text).toBe('old')
    expect(await sweepGenerations(temp().path)).toEqual([])
  }
  first[Symbol.dispose]()
  expect(await sweepGenerations(temp().path)).toEqual([id])
})

test('keeps a generation open if it becomes live again', async () => {
  const old = await writeGeneration(temp().path, { a: 'old' }, { library: 'lib' })
  const first = await entries()(all)
  await writeGeneration(temp().path, { a: 'new' }, { library: 'lib' })
  ;(await entries()(all))[Symbol.dispose]()
  await publish(temp().path, 'lib', old)
  using again = await entries()(all)
  first[Symbol.dispose]()
  expect((await again[0]!.open.page('a'))!.text).toBe('old')
})

test('continues after a failed call', async () => {
  await writeGeneration(temp().path, { a: 'one' }, { library: 'lib' })
  const failing = entries()(() => {
    throw new Error('unknown library')
  })
  const [failed, found] = await Promise.allSettled([failing, entries()(all)])
  expect(failed.status).toBe('rejected')
  expect(found.status).toBe('fulfilled')
})
