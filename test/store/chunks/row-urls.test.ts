import { expect, test } from 'bun:test'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import {
  searchFullText,
  searchNearest,
  chunksByRowId,
} from '../../../src/store/chunks/chunk-search.ts'
import { appendChunks, buildFullTextIndex } from '../../../src/store/chunks/chunk-table.ts'
import {
  openRowUrls,
  readRowUrls,
  rowIndexOf,
  chunksInBlock,
  readChunkBlock,
} from '../../../src/store/chunks/row-urls.ts'
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

test('returns the rows of the table from memory, in any requested order', async () => {
  await using temp = await createTempFolder('og block ')
  const { connect } = await loadLance()
  const database = await connect(temp.path)
  const rows = Array.from({ length: 700 }, (_, i) => chunkRow(`page ${i % 70}`, `word${i} ü`))
  const first = await appendChunks({ database, table: null }, rows.slice(0, 512), null)
  const table = await appendChunks({ database, table: first }, rows.slice(512), null)
  const found = await table.query().select(['content']).withRowId().toArray()
  const ids = new Map<string, bigint>(found.map((row) => [row.content, row._rowid]))
  const wanted = [699, 0, 511, 512, 3, 3].map((i) => ids.get(`word${i} ü`)!)
  const block = await readChunkBlock(table, rows.length, async () => {})
  const kept = chunksInBlock(block, wanted)
  expect(kept!.map(({ content }) => content)).toEqual([
    'word699 ü',
    'word0 ü',
    'word511 ü',
    'word512 ü',
    'word3 ü',
    'word3 ü',
  ])
  expect(kept).toEqual(await chunksByRowId(table, wanted))
  expect(chunksInBlock(block, [...wanted, 1n << 50n])).toBeNull()
  table.close()
})

test('does not cache damaged rows', async () => {
  await using temp = await createTempFolder('og block ')
  const database = await (await loadLance()).connect(temp.path)
  const table = await appendChunks({ database, table: null }, [chunkRow('a', 'b')], null)
  const check = async () => {
    throw new Error('changed')
  }
  await expect(readChunkBlock(table, 1, check)).rejects.toThrow('changed')
  table.close()
})
