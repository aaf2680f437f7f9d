import type { Table } from '@lancedb/lancedb'
import type { PageHead } from './page-heads.ts'
import type { PageRow } from './page-table.ts'

export type PageText = Pick<PageRow, 'url' | 'text' | 'markup'>

/** The texts of these pages, by url; read by their places, since a search by url reads them all. */
export async function pageTexts(
  table: Table,
  heads: readonly PageHead[],
): Promise<Map<string, PageText>> {
  if (heads.length === 0) return new Map()
  const rowIds = heads.map(({ rowId }) => rowId)
  const rows = await table.takeRowIds(rowIds).select(['url', 'text', 'markup']).toArray()
  return new Map(rows.map((row) => [row.url, row.toJSON() as PageText]))
}
