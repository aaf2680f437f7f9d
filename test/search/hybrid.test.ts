import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createTempFolder, type TempFolder } from '../../src/platform/file/files.ts'
import { openKernels } from '../../src/platform/kernels/kernels.ts'
import { hybridSearch, type HybridQuery } from '../../src/search/hybrid.ts'
import type { OpenGeneration } from '../../src/store/reading.ts'
import { hashEmbedder } from '../support/hash-embedder.ts'
import { openLive, writeGeneration } from '../support/store.ts'

const embedder = hashEmbedder()
const kernels = openKernels(null, { isa: 'js' })

let temp: TempFolder
let all: OpenGeneration[]
beforeAll(async () => {
  temp = await createTempFolder('og-hybrid')
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
  all = await openLive(temp.path)
})
afterAll(async () => {
  for (const open of all) open[Symbol.dispose]()
  await temp[Symbol.asyncDispose]()
})

/** Urls of the first hits in one library, or in several. */
async function check(
  text: string,
  libraries: string,
  options: { expected: string[]; query?: Partial<HybridQuery> },
) {
  const asked = all.filter((_, i) => libraries.includes('rvp'[i]!))
  const { expected, query } = options
  const embedding = embedder.embedQuery(text)
  const limit = expected.length
  const search = { text, embedding, mode: 'hybrid', kernels, limit, ...query } as const
  const { chunks: hits, nearest } = await hybridSearch(asked, search)
  expect(hits.map(({ row }) => row.url)).toEqual(expected)
  expect(nearest.length).toBe(asked.length)
  return { hits, nearest }
}

test('a word of one page alone is found first', async () => {
  await check('useEffect', 'r', { expected: ['r/flag'] })
  await check('--no-cache', 'r', { expected: ['r/flag'] })
})

test('each mode asks its own lane', async () => {
  const vector = { mode: 'vector' } as const
  await check('state between renders of a component', 'r', { expected: ['r/state'], query: vector })
  const { hits } = await check('useEffect', 'r', { expected: ['r/flag'], query: vector })
  expect(hits.length).toBe(1)
  const text = { mode: 'full-text', embedding: null, limit: 10 } as const
  await check('useEffect', 'r', { expected: ['r/flag', 'r/effects'], query: text })
  await check('nowhere', 'r', { expected: [], query: text })
})

test('libraries are asked together, and hits know theirs', async () => {
  const text = 'state'
  const embedding = embedder.embedQuery(text)
  const query = { text, embedding, mode: 'hybrid', kernels, limit: 200 } as const
  const { chunks: hits, nearest } = await hybridSearch(all, query)
  for (const { row, generationIndex } of hits) expect('rvp'[generationIndex]!).toBe(row.url[0]!)
  const urls = hits.map(({ row }) => row.url)
  expect(urls.slice(0, 2).sort()).toEqual(['r/state', 'v/state'])
  // Without embeddings it has one lane only, the lighter one; fillers have none that counts.
  expect(urls.indexOf('p/state')).toBeLessThan(15)
  expect(hits.length).toBe(all.reduce((sum, open) => sum + open.generation.chunks, 0))
  const known = { cosine: expect.any(Number), fullText: expect.any(Number) }
  expect(nearest).toEqual([known, known, { ...known, cosine: null }])
})

test('a library without embeddings is searched by its words', async () => {
  await check('state', 'p', { expected: ['p/state'] })
})

test('the limit holds, also beyond the depth of a lane', async () => {
  for (const limit of [1, 7, 115]) {
    const expected = Array(limit).fill(expect.anything())
    const { hits } = await check('filler page', 'r', { expected })
    const scores = hits.map(({ score }) => score)
    expect(scores).toEqual([...scores].sort((a, b) => b - a))
    expect(new Set(hits.map(({ row }) => row.url)).size).toBe(limit)
  }
})

test('a query without a word is answered by its embedding, or not at all', async () => {
  await check('"*:(', 'r', { expected: [expect.anything() as never] })
  await check('"*:(', 'r', { expected: [], query: { embedding: null } })
})

test('a model that fails fails the query', async () => {
  const query = { embedding: Promise.reject(new Error('no model')) }
  await expect(check('state', 'r', { expected: [], query })).rejects.toThrow('no model')
})

test('nobody to ask has no answer', () => check('state', '', { expected: [] }))
