import type { Table } from '@lancedb/lancedb'
import type { RecordBatch } from 'apache-arrow'
import { shownColumns, type ChunkRow } from './chunk-table.ts'

/** Every row of a table in memory as its columns lie there; a row is made when it is asked for. */
export type ChunkBlock = Part[]

/** `rowIds` ascend, here and from part to part: a table is written once. */
type Part = { rowIds: BigUint64Array; batch: RecordBatch }

export async function readChunkBlock(table: Table): Promise<ChunkBlock> {
  const found = await table.query().select(shownColumns).withRowId().toArrow()
  return found.batches.map((batch) => ({ rowIds: batch.getChild('_rowid')!.toArray(), batch }))
}

/** The rows of these ids, in their order; null where one is not found. */
export function chunksInBlock(block: ChunkBlock, rowIds: readonly bigint[]): ChunkRow[] | null {
  const rows: ChunkRow[] = []
  for (const id of rowIds) {
    const part = block.find((it) => it.rowIds.at(-1)! >= id)
    const at = part?.rowIds.indexOf(id) ?? -1
    if (at < 0) return null
    rows.push(part!.batch.get(at)!.toJSON() as ChunkRow)
  }
  return rows
}
