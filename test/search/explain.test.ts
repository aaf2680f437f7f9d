import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createTempFolder, type TempFolder } from '../../src/platform/file/files.ts'
import { explainPage } from '../../src/search/explain.ts'
import { openCollections, type OpenCollections } from '../support/collections.ts'
import { hashEmbedder } from '../support/hash-embedder.ts'
import { kernels, writeGeneration } from '../support/store.ts'

const embedder = hashEmbedder()

let temp: TempFolder
let collections: OpenCollections
beforeAll(async () => {
  temp = await createTempFolder('og-explain')
  const texts: Record<string, string> = { near: 'lamp wick', far: 'boiler pressure' }
  for (let i = 0; i < 120; i++) texts[`filler${i}`] = `the wick of lamp number ${i}`
  await writeGeneration(temp.path, texts, { library: 'lib' })
  await writeGeneration(temp.path, { bare: 'boiler' }, { library: 'plain', embedder: null })
  collections = await openCollections(temp.path)
})
afterAll(async () => {
  collections[Symbol.dispose]()
  await temp[Symbol.asyncDispose]()
})

function explain(text: string, url: string, library = 'lib') {
  const all = collections.asked(embedder)
  const holders = all.filter(({ entry }) => entry.library === library)
  const query = { text, mode: 'hybrid', limit: 1, kernels } as const
  return explainPage(all, query, { url, holders })
}

test('places the best page first', async () => {
  const { place, first, best } = await explain('lamp wick', 'near')
  expect(place).toBe(1)
  expect(best).toEqual(first)
  expect(best!.row.url).toBe('near')
})

test('places another page after the best one, with its own ranks', async () => {
  const { place, nPages, first, best } = await explain('boiler', 'bare', 'plain')
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
  expect(await explain('wick', 'bare', 'plain')).toMatchObject({ place: null, best: null })
})
