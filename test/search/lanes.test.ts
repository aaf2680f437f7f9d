import { expect, test } from 'bun:test'
import { createTempFolder } from '../../src/platform/file/files.ts'
import type { Collection } from '../../src/search/collection.ts'
import { toCandidate } from '../../src/search/candidate.ts'
import { textLane, vectorLane } from '../../src/search/lanes.ts'
import { openCollections } from '../support/collections.ts'
import { hashEmbedder } from '../support/hash-embedder.ts'
import { writeGeneration } from '../support/store.ts'
import { disposeAfterAll } from '../support/run/dispose.ts'

const embedder = hashEmbedder()

const near = new Map()

const temp = disposeAfterAll(await createTempFolder('og-lanes'))
await writeGeneration(temp.path, { 'a/one': 'lamp oil', 'a/two': 'lamp wick' }, { library: 'a' })
await writeGeneration(temp.path, { 'b/one': 'lamp' }, { library: 'b' })
const plain = { 'c/one': 'lamp without embeddings' }
await writeGeneration(temp.path, plain, { library: 'c', embedder: null })
const collections = disposeAfterAll(await openCollections(temp.path))
const asked: Collection[] = collections.asked(embedder)

test('searches all collections by full text and ranks the best hits first', async () => {
  const found = await textLane(asked, 'lamp wick', { limit: 10, near })
  expect(found.map(({ url }) => url)).toContain('c/one')
  expect(found[0]!.url).toBe('a/two')
  const lamps = await textLane(asked, 'lamp', { limit: 1, near })
  expect(lamps.map(({ collection }) => collection.entry.library).sort()).toEqual(['a', 'b', 'c'])
  expect(await textLane(asked, '?!', { limit: 10, near })).toEqual([])
})

test('combines the scores of a chunk and its page, and skips collections without embeddings', async () => {
  const found = await vectorLane(asked, 'lamp wick', 10)
  expect(found.map(({ url }) => url)).toEqual(['a/two', expect.anything(), expect.anything()])
  for (const { score, cosine, pageCosine, key, rowId, collection } of found) {
    // A page with one chunk has the same score as the chunk.
    expect(pageCosine).toBeCloseTo(cosine, 5)
    expect(score).toBeCloseTo(cosine, 5)
    expect(key).toBe(toCandidate(collection, { rowId, url: '', score: 0 }).key)
  }
  expect(await vectorLane(asked.slice(2), 'lamp', 10)).toEqual([])
})

test('counts the words of the page for questions and for names', async () => {
  const [best] = await textLane(asked, 'trim the wick of a lamp', { limit: 10, near })
  expect(best).toMatchObject({ url: 'a/two', score: 1 })
  expect(best!.pageBm25).toBeGreaterThan(0)
  const [named] = await textLane(asked, 'lamp wick', { limit: 10, near })
  expect(named!.pageBm25).toBeGreaterThan(0)
})

test('works without a page index in old generations', async () => {
  const old = asked.map((one) => ({ ...one, open: { ...one.open, pageIndex: async () => null } }))
  const [best] = await vectorLane(old, 'lamp wick', 10)
  expect(best).toMatchObject({ url: 'a/two', pageCosine: null, score: best!.cosine })
  const [worded] = await textLane(old, 'trim the wick of a lamp', { limit: 10, near })
  expect(worded).toMatchObject({ url: 'a/two', score: 1, pageBm25: null })
})
