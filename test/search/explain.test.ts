import { expect, test } from 'bun:test'
import { createTempFolder } from '../../src/platform/file/files.ts'
import type { Rerank } from '../../src/embed/reranker.ts'
import { OgError } from '../../src/platform/error.ts'
import { explainPage } from '../../src/search/explain.ts'
import { openCollections } from '../support/collections.ts'
import { hashEmbedder } from '../support/hash-embedder.ts'
import { kernels, writeGeneration } from '../support/store.ts'
import { disposeAfterAll } from '../support/run/dispose.ts'

const embedder = hashEmbedder()

const temp = disposeAfterAll(await createTempFolder('og-explain'))
const texts: Record<string, string> = { near: 'lamp wick', far: 'boiler pressure' }
for (let i = 0; i < 120; i++) texts[`filler${i}`] = `the wick of lamp number ${i}`
await writeGeneration(temp.path, texts, { library: 'lib' })
await writeGeneration(temp.path, { bare: 'boiler' }, { library: 'plain', embedder: null })
const collections = disposeAfterAll(await openCollections(temp.path))

type Asked = { library?: string; rerank?: Rerank }

function explain(text: string, url: string, { library = 'lib', rerank }: Asked = {}) {
  const all = collections.asked(embedder)
  const holders = all.filter(({ entry }) => entry.library === library)
  const query = { text, mode: 'hybrid', limit: 1, kernels, ...(rerank && { rerank }) } as const
  return explainPage(all, query, { url, holders })
}

test('places the best page first', async () => {
  const { place, first, best } = await explain('lamp wick', 'near')
  expect(place).toBe(1)
  expect(best).toEqual(first)
  expect(best!.row.url).toBe('near')
})

test('places another page after the best one, with its own ranks', async () => {
  const { place, nPages, first, best } = await explain('boiler', 'bare', { library: 'plain' })
  expect(place).toBe(2)
  expect(nPages).toBeGreaterThan(2)
  expect(first!.row.url).toBe('far')
  expect(best!.why).toMatchObject({ vector: null, fullText: { rank: expect.any(Number) } })
})

test('reports ranks for a page beyond the counted candidates', async () => {
  const { place, best } = await explain('wick of the lamp', 'far')
  expect(place).toBeNull()
  expect(best).toMatchObject({ score: 0, row: { url: 'far' }, why: { fullText: null } })
  expect(best!.why.vector!.rank).toBeGreaterThan(100)
})

test('finds no chunk for a page that has neither query words nor embeddings', async () => {
  expect(await explain('wick', 'bare', { library: 'plain' })).toMatchObject({
    place: null,
    best: null,
  })
})

test('places the page in the order of a reranker', async () => {
  const rerank: Rerank = async (_, texts) => texts.map((text) => Number(!text.includes('pressure')))
  expect((await explain('boiler pressure lamp', 'far')).reranked).toBeNull()
  const { place, reranked } = await explain('boiler pressure lamp', 'far', { rerank })
  expect(place).toBe(1)
  expect(reranked!.place).toBe(reranked!.nPages)
  expect(reranked).toMatchObject({ first: 'bare', failure: null })
  expect((await explain('wick of the lamp', 'far', { rerank })).reranked!.place).toBeNull()
})

test('reports that the reranker failed, and ranks the page by the order of og', async () => {
  const rerank: Rerank = async () => {
    throw new OgError('Cannot rerank: server answered 500')
  }
  const { reranked } = await explain('boiler pressure lamp', 'far', { rerank })
  expect(reranked).toMatchObject({ place: 1, failure: 'Cannot rerank: server answered 500' })
})
