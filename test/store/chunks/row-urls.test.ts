import { expect, test } from 'bun:test'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { searchFullText, searchNearest } from '../../../src/store/chunks/chunk-search.ts'
import { appendChunks, buildFullTextIndex } from '../../../src/store/chunks/chunk-table.ts'
import { openRowUrls, readRowUrls, rowIndexOf } from '../../../src/store/chunks/row-urls.ts'
import { loadLance } from '../../../src/store/lance.ts'
import { chunkRow } from '../../support/store.ts'
import { until } from '../../support/until.ts'

async function tableOf(folder: string) {
  const database = await (await loadLance()).connect(folder)
  const rows = Array.from({ length: 300 }, (_, i) => chunkRow(`page ${i % 7}`, `word ${i}`))
  const block = Float32Array.from(rows, (_, i) => (i % 2 === 0 ? 1 : 0.5))
  const embeddings = (from: number, to: number) => ({
    block: block.subarray(from, to),
    dimensions: 1,
  })
  const first = await appendChunks(
    { database, table: null },
    rows.slice(0, 120),
    embeddings(0, 120),
  )
  const table = await appendChunks(
    { database, table: first },
    rows.slice(120),
    embeddings(120, 300),
  )
  await buildFullTextIndex(table)
  return { table, nRows: rows.length }
}

test('returns the same row addresses from memory as LanceDB', async () => {
  await using temp = await createTempFolder('og urls ')
  const { table, nRows } = await tableOf(temp.path)
  const urls = await readRowUrls(table, nRows)
  for (const terms of [['word'], ['250']]) {
    const read = await searchFullText(table, terms, { limit: nRows })
    expect(read.length).toBeGreaterThan(0)
    expect(await searchFullText(table, terms, { limit: nRows, urls })).toEqual(read)
  }
  const read = await searchNearest(table, Float32Array.of(1), { limit: 20 })
  expect(await searchNearest(table, Float32Array.of(1), { limit: 20, urls })).toEqual(read)
  table.close()
})

test('loads row addresses some time after the first request, and never after a failure', async () => {
  await using temp = await createTempFolder('og urls ')
  const { table, nRows } = await tableOf(temp.path)
  let warmed = 0
  const known = openRowUrls(nRows, { open: async () => table, warm: async () => void warmed++ })
  expect(known()).toBeNull()
  await until('addresses are in memory', () => known() !== null)
  expect(warmed).toBe(1)
  let tried = 0
  const failing = openRowUrls(nRows, {
    open: async () => {
      tried++
      throw new Error('closed')
    },
    warm: async () => {},
  })
  expect(failing()).toBeNull()
  await until('it was tried', () => tried === 1)
  expect(failing()).toBeNull()
  table.close()
})

test('finds the first index whose id is not below the given one', () => {
  const ids = BigUint64Array.from([3n, 4n, 7n, 1n << 40n])
  const places = [0n, 3n, 4n, 5n, 7n, 8n, 1n << 40n, 1n << 41n].map((id) => rowIndexOf(ids, id))
  expect(places).toEqual([0, 0, 1, 2, 2, 3, 3, 4])
  expect(rowIndexOf(new BigUint64Array(), 1n)).toBe(0)
})
