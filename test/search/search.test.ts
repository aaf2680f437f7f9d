import { expect, test } from 'bun:test'
import { createTempFolder } from '../../src/platform/file/files.ts'
import { openKernels } from '../../src/platform/kernels/kernels.ts'
import type { RankingRequest } from '../../src/search/query.ts'
import { rankChunks } from '../../src/search/search.ts'
import { openCollections } from '../support/collections.ts'
import type { Embedder } from '../../src/embed/embedder.ts'
import { hashEmbedder } from '../support/hash-embedder.ts'
import { writeGeneration } from '../support/store.ts'
import { disposeAfterAll } from '../support/run/dispose.ts'
import type { NearestScores } from '../../src/search/judge.ts'

const embedder = hashEmbedder()
const kernels = openKernels(null, { isa: 'js' })

const temp = disposeAfterAll(await createTempFolder('og-search'))
const texts: Record<string, string> = {
  'r/effects': 'effects run after the render and are cleaned up',
  'r/state': 'state is kept between renders of a component',
  'r/flag': 'the flag --no-cache and the name useEffect stand here',
}
for (let i = 0; i < 120; i++) texts[`r/filler${i}`] = `filler page ${i} on nothing in particular`
await writeGeneration(temp.path, texts, { library: 'r' })
const other = { 'v/effects': 'effects of another library', 'v/state': 'state of another library' }
await writeGeneration(temp.path, other, { library: 'v' })
const plain = { 'p/state': 'state without embeddings' }
await writeGeneration(temp.path, plain, { library: 'p', embedder: null })
const collections = disposeAfterAll(await openCollections(temp.path))

/** Checks the URLs of the first hits in one or several libraries. */
async function check(
  text: string,
  libraries: string,
  options: { expected: string[]; query?: Partial<RankingRequest>; by?: Embedder | null },
) {
  const { expected, query, by = embedder } = options
  const asked = collections
    .asked(by ?? undefined)
    .filter(({ entry }) => libraries.includes(entry.library))
  const limit = expected.length
  const search = { text, mode: 'hybrid', kernels, limit, ...query } as const
  const { chunks: hits, nearest } = await rankChunks(asked, search)
  expect(hits.map(({ row }) => row.url)).toEqual(expected)
  expect(nearest.length).toBe(asked.length)
  return { hits, nearest }
}

test('ranks the only page with a word first', async () => {
  await check('useEffect', 'r', { expected: ['r/flag'] })
  await check('--no-cache', 'r', { expected: ['r/flag'] })
})

test('searches only the lane of the mode', async () => {
  const vector = { mode: 'vector' } as const
  await check('state between renders of a component', 'r', { expected: ['r/state'], query: vector })
  const { hits } = await check('useEffect', 'r', { expected: ['r/flag'], query: vector })
  expect(hits.length).toBe(1)
  const text = { mode: 'full-text', limit: 10 } as const
  await check('useEffect', 'r', { expected: ['r/flag', 'r/effects'], query: text, by: null })
  await check('nowhere', 'r', { expected: [], query: text, by: null })
})

test('searches several libraries together, and hits name their library', async () => {
  const text = 'state'
  const query = { text, mode: 'hybrid', kernels, limit: 200 } as const
  const all = collections.asked(embedder)
  const { chunks: hits, nearest } = await rankChunks(all, query)
  for (const { row, collection } of hits) expect(collection.entry.library).toBe(row.url[0]!)
  const urls = hits.map(({ row }) => row.url)
  expect(urls.slice(0, 2).sort()).toEqual(['r/state', 'v/state'])
  // Without embeddings the page has only the lane with the lower weight, but the filler pages score
  // nothing in it.
  expect(urls.indexOf('p/state')).toBeLessThan(15)
  expect(hits.length).toBe(all.reduce((sum, { entry }) => sum + entry.live.chunks, 0))
  const known: NearestScores = {
    cosine: expect.any(Number),
    lead: expect.any(Number),
    fullText: expect.any(Number),
  }
  expect(nearest).toEqual([known, known, { ...known, cosine: null, lead: null }])
})

test('searches a library without embeddings by full text', async () => {
  await check('state', 'p', { expected: ['p/state'] })
})

test('returns exactly `limit` hits, even beyond the depth of a lane', async () => {
  for (const limit of [1, 7, 115]) {
    const expected = Array(limit).fill(expect.anything())
    const { hits } = await check('filler page', 'r', { expected })
    const scores = hits.map(({ score }) => score)
    expect(scores).toEqual([...scores].sort((a, b) => b - a))
    expect(new Set(hits.map(({ row }) => row.url)).size).toBe(limit)
  }
})

test('searches by embedding alone for a query without words, or returns no hits', async () => {
  await check('"*:(', 'r', { expected: [expect.anything() as never] })
  await check('"*:(', 'r', { expected: [], by: null })
})

test('throws if the model fails', async () => {
  const by = { ...embedder, embedQuery: () => Promise.reject(new Error('no model')) }
  await expect(check('state', 'r', { expected: [], by })).rejects.toThrow('no model')
})

test('fetches as many candidates as requested, but at least the depth of a lane', async () => {
  const asked = collections.asked(embedder).slice(0, 1)
  const query = { text: 'filler', mode: 'hybrid', kernels } as const
  expect((await rankChunks(asked, { ...query, limit: 112 })).lanes.byVector.length).toBe(112)
  expect((await rankChunks(asked, { ...query, limit: 5 })).lanes.byVector.length).toBe(100)
})

test('returns no hits if there are no collections', () => check('state', '', { expected: [] }))
