import type { Table } from '@lancedb/lancedb'
import { contains } from '../lance.ts'
import type { ChunkHit } from './chunk-search.ts'

/** Maximum number of matching chunks that are ranked. A common symbol is in many listings. */
const mostLiteral = 2000

/**
 * Searches for literal text. Chunks that contain it in code or between spaces come first, then
 * chunks of which it is a larger part.
 */
export async function searchLiteral(
  table: Table,
  text: string,
  limit: number,
): Promise<ChunkHit[]> {
  const holders = table.query().where(contains('content', text)).select(['url', 'content'])
  const rows = await holders.withRowId().limit(mostLiteral).toArray()
  const hits = rows.map(({ _rowid: rowId, url, content }): ChunkHit => {
    const pieces = (content as string).split(text)
    const isNamed = ['`', ' '].map((around) => content.includes(around + text + around))
    const score = (isNamed[0] ? 2 : isNamed[1] ? 1 : 0) + pieces.length / content.length
    return { rowId, url, score }
  })
  return hits.sort((a, b) => b.score - a.score).slice(0, limit)
}
