import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createTempFolder, type TempFolder } from '../../src/platform/file/files.ts'
import { askLanes, rankCandidates, readChunks } from '../../src/search/candidates.ts'
import type { OpenGeneration } from '../../src/store/reading.ts'
import { hashEmbedder } from '../support/hash-embedder.ts'
import { kernels, openLive, writeGeneration } from '../support/store.ts'

const embedder = hashEmbedder()

let temp: TempFolder
let all: OpenGeneration[]
beforeAll(async () => {
  temp = await createTempFolder('og-candidates')
  const texts: Record<string, string> = { 'release-notes': 'lamp lamp', 'guide/lamp': 'lamp' }
  for (let i = 0; i < 110; i++) texts[`filler${i}`] = `filler ${i}`
  await writeGeneration(temp.path, texts, { library: 'lib' })
  all = await openLive(temp.path)
})
afterAll(async () => {
  for (const open of all) open[Symbol.dispose]()
  await temp[Symbol.asyncDispose]()
})

const query = (text: string, limit = 5) =>
  ({ text, embedding: embedder.embedQuery(text), mode: 'hybrid', limit, kernels }) as const

test('pages are known by kind', async () => {
  const { ranked } = await rankCandidates(all, query('lamp'))
  expect(ranked[0]!.url).toBe('guide/lamp')
  expect(ranked.find(({ url }) => url === 'release-notes')!.why.changelog).toBeLessThan(1)
})

test('a lane gives as many as are wanted, and no more count', async () => {
  expect((await askLanes(all, query('filler'), 112)).byVector.length).toBe(112)
  const { ranked } = await rankCandidates(all, query('filler'))
  expect(ranked.length).toBeLessThanOrEqual(110)
  expect((await rankCandidates(all, query('filler', 112))).ranked.length).toBe(112)
})

test('chunks are read in the order given', async () => {
  const { ranked } = await rankCandidates(all, query('lamp'))
  const wanted = [ranked[2]!, ranked[0]!, ranked[0]!]
  const read = await readChunks(all, wanted)
  expect(read.map(({ row }) => row.url)).toEqual(wanted.map(({ url }) => url))
  expect(read.map(({ why }) => why)).toEqual(wanted.map(({ why }) => why))
})
