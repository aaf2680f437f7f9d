import type { Table } from '@lancedb/lancedb'
import type { ChunkRow } from './chunk-table.ts'

/** A chunk without its text. */
export type ChunkHead = Pick<ChunkRow, 'url' | 'title' | 'heading' | 'start_line' | 'end_line'>

const columns = ['url', 'title', 'heading', 'start_line', 'end_line'] as const

/** Every chunk without its text, in the order in which they were written. */
export async function chunkHeads(table: Table): Promise<ChunkHead[]> {
  const heads: ChunkHead[] = []
  for await (const batch of table.query().select([...columns])) {
    for (const row of batch) heads.push(row.toJSON() as ChunkHead)
  }
  return heads
}
