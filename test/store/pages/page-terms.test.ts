import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import type { Connection, Table } from '@lancedb/lancedb'
import { createTempFolder, type TempFolder } from '../../../src/platform/file/files.ts'
import { appendChunks } from '../../../src/store/chunks/chunk-table.ts'
import { loadLance } from '../../../src/store/lance.ts'
import { pagePostings } from '../../../src/store/pages/page-index.ts'
import { openPostings } from '../../../src/store/postings.ts'
import { startScript } from '../../support/child.ts'
import { chunkRow } from '../../support/store.ts'

let temp: TempFolder
let database: Connection
let chunks: Table
beforeAll(async () => {
  temp = await createTempFolder('og-page-terms')
  database = await (await loadLance()).connect(temp.path)
  const rows = [
    chunkRow('a', 'lamp oil'),
    chunkRow('b', 'lamp wick wick'),
    chunkRow('a', 'boiler'),
    chunkRow('unknown', 'lamp'),
  ]
  chunks = await appendChunks({ database, table: null }, rows, null)
})
afterAll(async () => {
  chunks.close()
  database.close()
  await temp[Symbol.asyncDispose]()
})

test('ranks pages by BM25 over all their chunks', async () => {
  const postings = await pagePostings(chunks, ['a', 'b', 'blank'])
  expect([...postings.lengths]).toEqual([3, 3, 0])
  const { scores } = openPostings(postings)
  const idf = (nPages: number) => Math.log(1 + (3 - nPages + 0.5) / (nPages + 0.5))
  const weight = (count: number) => (count * 2.2) / (count + 1.2 * (0.25 + (0.75 * 3) / 2))
  function check(terms: string, expected: number[]) {
    const found = [...scores(terms.split(' '))]
    found.forEach((score, i) => expect(score).toBeCloseTo(expected[i]!, 5))
    expect(found.length).toBe(3)
  }
  check('wick', [0, idf(1) * weight(2), 0])
  check('lamp', [idf(2) * weight(1), idf(2) * weight(1), 0])
  check('lamp boiler', [idf(2) * weight(1) + idf(1) * weight(1), idf(2) * weight(1), 0])
  check('nowhere', [0, 0, 0])
})

test('gives a term more weight the fewer pages contain it', async () => {
  const { rarity } = openPostings(await pagePostings(chunks, ['a', 'b', 'blank']))
  expect(rarity('nowhere')).toBeGreaterThan(rarity('wick'))
  expect(rarity('wick')).toBeGreaterThan(rarity('lamp'))
  expect(rarity('lamp')).toBeCloseTo(Math.log(1 + 1.5 / 2.5), 5)
})

test('returns whether a term occurs', async () => {
  const { vocabulary, ...postings } = await pagePostings(chunks, ['a', 'b', 'blank'])
  expect(vocabulary.sort()).toEqual(['boiler', 'lamp', 'oil', 'wick'])
  const { knows } = openPostings(postings)
  expect(['wick', 'lamp', 'nowhere'].map(knows)).toEqual([true, true, false])
})

test('stores counts up to 255', async () => {
  const other = await (await loadLance()).connect(join(temp.path, 'other'))
  const row = chunkRow('c', 'lamp '.repeat(300))
  const table = await appendChunks({ database: other, table: null }, [row], null)
  const postings = await pagePostings(table, ['c'])
  table.close()
  other.close()
  expect([...postings.counts]).toEqual([255])
  expect(openPostings(postings).scores(['lamp'])[0]).toBeGreaterThan(0)
})

test('uses less than 160 MB for a million counts', async () => {
  await using child = startScript('postings-memory.ts', [])
  expect(Number(await child.line())).toBeWithin(10e6, 160e6)
})
