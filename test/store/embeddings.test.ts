import { expect, test } from 'bun:test'
import { embeddingsOf, isZero } from '../../src/store/lance.ts'
import { arrowTable } from '../../src/store/schema.ts'

test('returns the embeddings of a batch as one block', () => {
  const rows = ['a', 'b', 'c'].map((url) => ({ url }))
  const block = Float32Array.of(1, 2, 3, 4, 5, 6)
  const columns = { texts: ['url'], numbers: [] }
  const [batch] = arrowTable(columns, rows, { block, dimensions: 2 }).batches
  expect([...embeddingsOf(batch!, 2)]).toEqual([1, 2, 3, 4, 5, 6])
})

test('treats an all-zero row as a chunk without an embedding', () => {
  expect([isZero(new Float32Array(3)), isZero(Float32Array.of(0, 0, 1e-9))]).toEqual([true, false])
})
