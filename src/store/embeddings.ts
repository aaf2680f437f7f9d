import type { Table } from '@lancedb/lancedb'
import type { RecordBatch } from 'apache-arrow'

/**
 * Returns the `vector` column of a batch as one block, without copying: row-major, rows ×
 * dimensions.
 */
export function embeddingsOf(batch: RecordBatch, dimensions: number): Float32Array {
  const column = batch.getChild('vector')!.data[0]!
  const values = column.children[0]!.values as Float32Array
  const from = column.offset * dimensions
  return values.subarray(from, from + batch.numRows * dimensions)
}

/** Whether a row has only zeros, because its chunk is not embedded yet. */
export function isZero(embedding: Float32Array): boolean {
  return embedding.every((value) => value === 0)
}

export async function dimensionsOf(table: Table): Promise<number | null> {
  const vector = (await table.schema()).fields.find(({ name }) => name === 'vector')
  return vector === undefined ? null : (vector.type as { listSize: number }).listSize
}
