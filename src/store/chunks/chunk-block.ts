import type { Table } from '@lancedb/lancedb'
import { hitColumns, type ChunkRow } from './chunk-table.ts'
import { collectIfLarge } from '../../platform/garbage.ts'
import { rowIndexOf } from './row-urls.ts'

/**
 * All rows of a table in memory, with the columns shown in hits. `rowIds` ascend, because a table
 * is written only once.
 */
export type ChunkBlock = { rowIds: BigUint64Array; rows: ChunkRow[] }

const rowsAtOnce = 256

/**
 * Reads the columns shown in hits, for every row of a table. `check` throws if rows differ from
 * their checksums. Yields to other work between batches of rows.
 */
export async function readChunkBlock(
  table: Table,
  nRows: number,
  check: (rowIds: readonly bigint[], rows: readonly ChunkRow[]) => Promise<void>,
): Promise<ChunkBlock> {
  const rowIds = new BigUint64Array(nRows)
  const rows: ChunkRow[] = []
  for await (const batch of table.query().select(hitColumns).withRowId()) {
    const columns = hitColumns.map((name) => [name, batch.getChild(name)!] as const)
    const ids = batch.getChild('_rowid')!.toArray() as BigUint64Array
    rowIds.set(ids, rows.length)
    for (let from = 0; from < batch.numRows; from += rowsAtOnce) {
      const to = Math.min(batch.numRows, from + rowsAtOnce)
      const made: ChunkRow[] = []
      for (let at = from; at < to; at++) {
        made.push(Object.fromEntries(columns.map(([name, of]) => [name, of.get(at)])) as ChunkRow)
      }
      await check([...ids.subarray(from, to)], made)
      rows.push(...made)
      await new Promise(setImmediate)
    }
  }
  collectIfLarge()
  return { rowIds, rows }
}

export function chunksInBlock(
  { rowIds, rows }: ChunkBlock,
  ids: readonly bigint[],
): ChunkRow[] | null {
  const places = ids.map((id) => rowIndexOf(rowIds, id))
  return places.every((at, i) => rowIds[at] === ids[i]) ? places.map((at) => rows[at]!) : null
}
