import type { Table } from '@lancedb/lancedb'
import type { ChunkRow } from './chunk-table.ts'
import { equals } from '../where.ts'

export type ChunkRange = Pick<ChunkRow, 'chunk_index' | 'start_offset' | 'end_offset'>

/** Where the chunks of a page begin and end, in the order of the page. */
export async function chunkRanges(table: Table, url: string): Promise<ChunkRange[]> {
  const columns = ['chunk_index', 'start_offset', 'end_offset']
  const rows = await table.query().where(equals('url', url)).select(columns).toArray()
  const ranges = rows.map((row) => row.toJSON() as ChunkRange)
  return ranges.sort((a, b) => a.chunk_index - b.chunk_index)
}
