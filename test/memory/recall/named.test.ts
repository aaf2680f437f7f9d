import { expect, test } from 'bun:test'
import { findNameMatches, sortNameMatchesFirst } from '../../../src/memory/recall/recall.ts'
import { entries, openTestMemory } from '../../support/memory/memory-search.ts'

const files = {
  'MEMORY.md': entries(
    ['2026-01-01 10:00', 'cache once, cache twice, and no caches: the no cache of the cache'],
    ['2026-01-02 10:00', 'images are built with --no-cache on Fridays, after a long day of work'],
    ['2026-01-03 10:00', 'nothing of the kind'],
  ),
}

test('puts an entry with the exact name first', async () => {
  await using memory = await openTestMemory(files)
  await memory.search.sync()
  const [exact, words] = (await memory.ask('--no-cache')).hits
  expect([exact!.named, words!.named]).toEqual(['typed', 'words'])
  expect(exact!.text).toContain('--no-cache')
  // If a query is not a name, the entry with the most matches comes first.
  expect((await memory.ask('no cache cache')).hits[0]!.text).toContain('cache once')
})

test('does not treat a query of several words as a name', async () => {
  await using memory = await openTestMemory(files)
  await memory.search.sync()
  expect(findNameMatches(memory.search.index, 'no cache', {}).size).toBe(0)
  expect(findNameMatches(memory.search.index, 'no-cache', {}).size).toBe(2)
  expect(findNameMatches(memory.search.index, 'no-cache', { path: 'USER.md' }).size).toBe(0)
  expect(findNameMatches(memory.search.index, 'absent_name', {}).size).toBe(0)
})

test('keeps the order of the other entries', () => {
  const hits = ([null, 'words', null, 'typed'] as const).map((named, at) => ({ named, at }))
  expect(sortNameMatchesFirst(hits).map(({ at }) => at)).toEqual([3, 1, 0, 2])
})
