import { expect, test } from 'bun:test'
import { isAvailable, limitToCache } from '../../../src/library/search/availability.ts'
import { readEntries } from '../../../src/store/registry.ts'
import { openRemotes, read, written } from '../../support/remotes.ts'
import { openEach } from '../../support/run/dispose.ts'

const remotes = openEach(openRemotes)

/**
 * Returns the libraries that a machine searches, each as if it had a million chunks, and the note
 * about the others.
 */
async function asked(folder: string, query: string, library: string | null = null) {
  const all = (await readEntries(folder)).map(({ live, ...row }) => ({
    ...row,
    live: { ...live, chunks: 1_000_000 },
  }))
  const { entries, unasked } = limitToCache(folder, all, { query, library })
  return { names: entries.map((it) => it.library), unasked }
}

test('searches libraries too large for the cache only if the query or request names them, or if they are mirrored', async () => {
  for (const library of ['cup', 'jug', 'kettle']) await written(remotes().one, library)
  const { folder } = await remotes().machine('small', 10e9)
  const large = await remotes().machine('large', 20e9)
  await expect(asked(folder, 'brewing')).rejects.toThrow(
    'Cannot search all 3 library versions: those of s3://docs/team take about 11 GB, ' +
      'store.cache_gb is 10',
  )
  expect(await asked(folder, 'How is a Kettle filled?')).toEqual({
    names: ['kettle'],
    unasked:
      'Not searched: 2 of 3 library versions without a copy on this machine: those of ' +
      's3://docs/team take about 11 GB, store.cache_gb is 10. Name one to search it',
  })
  expect((await asked(folder, 'Filling a kettle.')).names).toEqual(['kettle'])
  const small = { ...remotes().one, folder }
  expect(await read(small, 'cup')).toBe('some text')
  const [cup, ...others] = await readEntries(folder)
  expect([isAvailable(folder, cup!), ...others.map((it) => isAvailable(folder, it))]).toEqual([
    true,
    false,
    false,
  ])
  expect((await asked(folder, 'brewing')).names).toEqual(['cup'])
  expect((await asked(folder, 'brewing', 'jug')).unasked).toBeNull()
  const { names, unasked } = await asked(large.folder, 'brewing')
  expect([names, unasked]).toEqual([['cup', 'jug', 'kettle'], null])
})
