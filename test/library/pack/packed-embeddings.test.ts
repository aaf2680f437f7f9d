import { expect, test } from 'bun:test'
import {
  packEmbeddings,
  bytesPerEmbedding,
  unpackEmbeddings,
} from '../../../src/library/pack/packed-embeddings.ts'

const dimensions = 48
const rows = 5
const keys = Array.from({ length: rows }, (_, row) => `${row}`.repeat(16))
const block = normalised(
  Float32Array.from({ length: rows * dimensions }, (_, i) => Math.sin(i * i + 1)),
)

/** The largest allowed difference from the original number. */
const errors = { f32: 0, f16: 0.0003, int8: 0.003 }
const kinds = ['f32', 'f16', 'int8'] as const

test('restores embeddings with their keys, as exactly as their format allows', () => {
  for (const kind of kinds) {
    const bytes = packEmbeddings(keys, block, kind)
    expect(bytes.length).toBe(rows * bytesPerEmbedding(kind, dimensions))
    const found = unpackEmbeddings(bytes, { kind, rows, dimensions })
    expect(found.keys).toEqual(keys)
    const worst = Math.max(...found.block.map((value, i) => Math.abs(value - block[i]!)))
    expect(worst).toBeLessThanOrEqual(errors[kind])
  }
})

test('packs restored embeddings into the same bytes again', () => {
  for (const kind of kinds) {
    const bytes = packEmbeddings(keys, block, kind)
    const found = unpackEmbeddings(bytes, { kind, rows, dimensions })
    expect(packEmbeddings(found.keys, found.block, kind)).toEqual(bytes)
  }
})

test('rejects invalid embeddings', () => {
  const spoilt = (value: number) => {
    const changed = block.slice()
    changed[dimensions + 3] = value
    return changed
  }
  for (const kind of ['f32', 'f16'] as const) {
    for (const value of [NaN, Infinity, -Infinity, 2]) {
      const bytes = packEmbeddings(keys, spoilt(value), kind)
      expect(() => unpackEmbeddings(bytes, { kind, rows, dimensions })).toThrow('has length')
    }
  }
  const zeros = Buffer.alloc(bytesPerEmbedding('int8', dimensions))
  expect(() => unpackEmbeddings(zeros, { kind: 'int8', rows: 1, dimensions })).toThrow(
    'an embedding has length 0',
  )
  const short = packEmbeddings(keys, block, 'f16').subarray(1)
  expect(() => unpackEmbeddings(short, { kind: 'f16', rows, dimensions })).toThrow(
    'it has another length',
  )
})

function normalised(values: Float32Array): Float32Array {
  for (let row = 0; row < rows; row++) {
    const embedding = values.subarray(row * dimensions, (row + 1) * dimensions)
    const length = Math.hypot(...embedding)
    embedding.forEach((value, i) => (embedding[i] = value / length))
  }
  return values
}
