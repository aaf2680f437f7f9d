import { expect, test } from 'bun:test'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import {
  searchFullText,
  fullTextInMemory,
  openFullText,
  readChunkTerms,
} from '../../../src/store/chunks/chunk-search.ts'
import { appendChunks, buildFullTextIndex } from '../../../src/store/chunks/chunk-table.ts'
import { loadLance } from '../../../src/store/lance.ts'
import { chunkRow } from '../../support/store.ts'

/** Words of different frequency, some repeated within a chunk, in chunks of different length. */
const texts = Array.from({ length: 700 }, (_, i) => {
  const words = [`word${i}`, `tens${i % 10}`, ...Array(i % 5).fill('often'), `twos${i % 2} lamp`]
  return [...words, ...Array(i % 17).fill(`filler${i % 3}`)].join(' ')
})

async function table(folder: string) {
  const database = await (await loadLance()).connect(folder)
  const rows = texts.map((text, i) => chunkRow(`page ${i % 70}`, text))
  const first = await appendChunks({ database, table: null }, rows.slice(0, 512), null)
  const whole = await appendChunks({ database, table: first }, rows.slice(512), null)
  await buildFullTextIndex(whole)
  return whole
}

const queries = [
  ['word3'],
  ['often', 'lamp'],
  ['tens3', 'twos1', 'filler2'],
  ['nowhere'],
  ['nowhere', 'word9'],
]

test('finds the same chunks with the same scores as LanceDB', async () => {
  await using temp = await createTempFolder('og terms ')
  const chunks = await table(temp.path)
  const inMemory = await readChunkTerms(chunks, texts.length)
  for (const terms of queries) {
    for (const isAll of [false, true]) {
      const limits = { limit: texts.length, isAll }
      const expected = new Map(
        (await searchFullText(chunks, terms, limits)).map((it) => [it.rowId, it]),
      )
      const found = fullTextInMemory(inMemory, terms, limits)
      expect(found.map(({ rowId }) => rowId).sort()).toEqual([...expected.keys()].sort())
      for (const { rowId, url, score } of found) {
        expect(url).toBe(expected.get(rowId)!.url)
        expect(score).toBeCloseTo(expected.get(rowId)!.score, 4)
      }
    }
  }
  chunks.close()
})

test('returns the best rows first, and breaks ties by row', async () => {
  await using temp = await createTempFolder('og terms ')
  const chunks = await table(temp.path)
  const inMemory = await readChunkTerms(chunks, texts.length)
  const all = fullTextInMemory(inMemory, ['often', 'lamp'], { limit: texts.length })
  const sorted = all.toSorted((a, b) => b.score - a.score || Number(a.rowId - b.rowId))
  expect(all).toEqual(sorted)
  for (const limit of [1, 7, 450]) {
    expect(fullTextInMemory(inMemory, ['often', 'lamp'], { limit })).toEqual(all.slice(0, limit))
  }
  chunks.close()
})

test('finds the best of many rows as sorting all of them does', () => {
  const rows = [...Array(20_000).keys()]
  const rowIds = BigUint64Array.from(rows, BigInt)
  const urls = rows.map((row) => `page ${row}`)
  // Few different scores, so that many rows have the same.
  const scores = Float32Array.from(rows, (row) => Math.max(0, ((row * 7919) % 1009) / 37 - 2))
  const best = rows
    .filter((row) => scores[row]! > 0)
    .sort((a, b) => scores[b]! - scores[a]! || a - b)
  const bm25 = { scores: () => scores, rarity: () => 0, knows: () => true }
  for (const limit of [1, 300, 5_000, rows.length]) {
    const found = fullTextInMemory({ bm25, rowIds, urls }, ['often'], { limit })
    expect(found.map(({ rowId }) => Number(rowId))).toEqual(best.slice(0, limit))
  }
})

test('reads from memory, starting with the second search', async () => {
  await using temp = await createTempFolder('og terms ')
  const chunks = await table(temp.path)
  let opened = 0
  const ask = openFullText(texts.length, {
    urls: () => null,
    most: texts.length,
    open: async () => (opened++, chunks),
  })
  const first = await ask(['word3', 'lamp'], { limit: 9 })
  for (let was = -1; was < opened; await Bun.sleep(1)) {
    was = opened
    const again = await ask(['word3', 'lamp'], { limit: 9 })
    expect(again[0]).toEqual({ ...first[0]!, score: expect.closeTo(first[0]!.score, 4) })
  }
  expect(opened).toBeGreaterThan(1)
  chunks.close()
})
