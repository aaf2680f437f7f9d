import type { Table } from '@lancedb/lancedb'
import type { Kernels } from '../platform/kernels.ts'
import type { Ranked } from './chunk-search.ts'
import { embeddingsOf } from './schema.ts'

/** Every embedding of a table in memory, for a process that asks again and again. */
export type VectorBlock = { block: Float32Array; rowIds: bigint[]; urls: string[] }

export async function readVectorBlock(
  table: Table,
  size: { rows: number; dimensions: number },
): Promise<VectorBlock> {
  const block = new Float32Array(size.rows * size.dimensions)
  const rowIds: bigint[] = []
  const urls: string[] = []
  for await (const batch of table.query().select(['url', 'vector']).withRowId()) {
    block.set(embeddingsOf(batch, size.dimensions), rowIds.length * size.dimensions)
    rowIds.push(...(batch.getChild('_rowid')!.toArray() as BigUint64Array))
    urls.push(...(batch.getChild('url')!.toArray() as unknown as string[]))
  }
  return { block, rowIds, urls }
}

/** The same answer as `nearest` of the table, by our kernels. */
export function nearestInBlock(
  kernels: Kernels,
  { block, rowIds, urls }: VectorBlock,
  query: { embedding: Float32Array; limit: number },
): Ranked[] {
  const dims = query.embedding.length
  const { rows, scores } = kernels.topk(query.embedding, block, { dims, k: query.limit })
  return Array.from(rows, (row, i) => ({
    rowId: rowIds[row] as bigint,
    url: urls[row] as string,
    score: scores[i] as number,
  }))
}
