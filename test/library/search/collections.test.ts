import { expect, test } from 'bun:test'
import { join } from 'node:path'
import type { SearchRequest } from '../../../src/library/library.ts'
import { collectionsOf, wantsVectors } from '../../../src/library/search/collections.ts'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { hashEmbedder, type HashEmbedder } from '../../support/hash-embedder.ts'
import { writeFiles } from '../../support/repository.ts'
import { openTestStore } from '../../support/test-store.ts'
import { until } from '../../support/until.ts'
import { disposeAfterAll } from '../../support/run/dispose.ts'

const other = hashEmbedder({ fingerprint: { model: 'other', dimensions: 16 } })

const temp = disposeAfterAll(await createTempFolder('og collections'))
const folder = join(temp.path, 'store')
const docs = join(temp.path, 'docs')
writeFiles(docs, { 'heron.md': '# Heron\n\nEats frogs.\n', 'api/crane.md': '# Crane\n\nFlies.\n' })
const embedder: HashEmbedder = hashEmbedder()
{
  using first = openTestStore(folder, { embedder: other })
  await first.add('foreign', docs)
}
{
  using plain = openTestStore(folder, { embedder: null })
  await plain.add('plain', docs)
}

const store = disposeAfterAll(openTestStore(folder, { embedder, others: [other] }))
await store.add('birds', docs)
await store.add('zoo', docs)

/**
 * The query is a whole question, because a single name would be embedded twice: as it is, and as a
 * query.
 */
const query = 'why do grey herons eat green frogs'
const next = 'where do white storks build their nests'

/** Returns the collection of each library, sorted by library name. */
async function check(more: Partial<SearchRequest> = {}) {
  const request = { library: null, version: null, limit: 5, query, ...more }
  using held = await store.entries((all) =>
    all.toSorted((a, b) => a.library.localeCompare(b.library)),
  )
  embedder.queries.length = 0
  other.queries.length = 0
  const collections = await collectionsOf(store.opened, held, request)
  return { collections, names: collections.map(({ entry }) => entry.library) }
}

test('searches each library with the model that embedded it, in the given order', async () => {
  const { collections, names } = await check()
  expect(names).toEqual(['birds', 'foreign', 'plain', 'zoo'])
  const [birds, foreign, plain, zoo] = collections
  expect(plain!.embed).toBeNull()
  expect(birds!.embed).toBe(zoo!.embed)
  expect((await birds!.embed!('frogs')).vector).toHaveLength(32)
  const { vector, engine } = await foreign!.embed!('frogs')
  expect([vector.length, engine]).toEqual([16, 'other, hash'])
})

test('starts to embed the query immediately, and embeds each text only once per model', async () => {
  const {
    collections: [birds, foreign, , zoo],
  } = await check()
  await until('both models embed', () => embedder.queries.length + other.queries.length === 2)
  const [mine, same] = await Promise.all([birds!.embed!(query), zoo!.embed!(query)])
  expect(mine).toBe(same)
  await foreign!.embed!(query)
  await birds!.embed!(next)
  await zoo!.embed!(next)
  expect([embedder.queries, other.queries]).toEqual([[query, next], [query]])
})

test('calls no model for full-text search', async () => {
  const { collections } = await check({ mode: 'full-text' })
  expect(collections.map(({ embed }) => embed)).toEqual([null, null, null, null])
  expect([...embedder.queries, ...other.queries]).toEqual([])
  expect(wantsVectors(store.opened, {})).toBe(true)
  expect(wantsVectors(store.opened, { mode: 'vector' })).toBe(true)
  expect(wantsVectors(store.opened, { mode: 'full-text' })).toBe(false)
  expect(wantsVectors({ ...store.opened, fingerprint: null }, {})).toBe(false)
})

test('searches only pages that pass the filter', async () => {
  const { collections } = await check({ filter: { paths: ['api/**'] } })
  for (const one of collections) {
    expect(one.counts).toEqual({ pages: 2, passing: 1, searched: 1 })
    expect([one.isSearched('doc:/api/crane.md'), one.isSearched('doc:/heron.md')]).toEqual([
      true,
      false,
    ])
    expect(one.facts.size).toBe(2)
  }
})

test('gives more weight to a library that the query names', async () => {
  const { collections } = await check({ query: 'zoo opening hours' })
  expect(collections.map(({ gain }) => gain > 1)).toEqual([false, false, false, true])
})

test('does not wait for a model after an abort, and otherwise rethrows its error', async () => {
  const signal = AbortSignal.abort(new Error('enough'))
  const {
    collections: [birds],
  } = await check({ signal })
  await expect(birds!.embed!('frogs')).rejects.toThrow('enough')
  expect(embedder.queries).toEqual([])
  const broken = { ...store.opened, embedder: () => Promise.reject(new Error('no model')) }
  using held = await store.entries((all) => all.filter(({ library }) => library === 'birds'))
  const request = { library: null, version: null, limit: 5, query: 'herons' }
  const [one] = await collectionsOf(broken, held, request)
  await expect(one!.embed!('herons')).rejects.toThrow('no model')
})
