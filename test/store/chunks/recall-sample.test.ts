import { expect, test } from 'bun:test'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { searchNearest } from '../../../src/store/chunks/chunk-search.ts'
import { appendChunks } from '../../../src/store/chunks/chunk-table.ts'
import {
  interpolateQueries,
  nearestCount,
  exactNearest,
  sampleEmbeddings,
} from '../../../src/store/chunks/recall-sample.ts'
import { loadLance } from '../../../src/store/lance.ts'
import { chunkRow } from '../../support/store.ts'

const dimensions = 8

/** Points on a sphere, the same in each run. */
function points(count: number): Float32Array {
  let state = 7
  const random = () => (state = (state * 48271) % 2147483647) / 2147483647 - 0.5
  const rows = Array.from({ length: count }, () => Array.from({ length: dimensions }, random))
  return Float32Array.from(rows.flatMap((row) => row.map((value) => value / Math.hypot(...row))))
}

test('builds queries between embeddings and finds their nearest chunks exactly', async () => {
  await using temp = await createTempFolder('og recall ')
  const count = 90
  const database = await (await loadLance()).connect(temp.path)
  const rows = Array.from({ length: count }, (_, i) => chunkRow(`page ${i}`, `text ${i}`))
  const options = { block: points(count), dimensions }
  const table = await appendChunks({ database, table: null }, rows, options)
  const sample = (await sampleEmbeddings(table, { rows: count, dimensions }))!
  expect(sample).toMatchObject({ embedded: count })
  const questions = interpolateQueries(sample.embeddings)
  expect(questions.length).toBe(sample.embeddings.length - 2)
  for (const question of questions) expect(Math.hypot(...question)).toBeCloseTo(1, 5)
  const found = await exactNearest(table, questions)
  for (const [i, question] of questions.entries()) {
    const exact = await searchNearest(table, question, { limit: nearestCount })
    expect(new Set(found[i])).toEqual(new Set(exact.map(({ rowId }) => rowId)))
  }
  table.close()
})
