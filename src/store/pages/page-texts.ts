import type { Table } from '@lancedb/lancedb'
import type { PageHead } from './page-heads.ts'
import type { PageRow } from './page-table.ts'

export type PageText = Pick<PageRow, 'url' | 'text' | 'markup'>

/**
 * The texts of these pages, by url, as `checked` lets them through; read by their places, since a
 * search by url reads them all.
 */
export async function pageTexts(
  table: Table,
  heads: readonly PageHead[],
  checked: (rowIds: readonly bigint[], rows: (PageText | undefined)[]) => Promise<void>,
): Promise<Map<string, PageText>> {
  if (heads.length === 0) return new Map()
  const rowIds = heads.map(({ rowId }) => rowId)
  const columns = ['url', 'path', 'title', 'text', 'markup']
  const found = await table.takeRowIds(rowIds).select(columns).withRowId().toArray()
  const rows = new Map(found.map((row) => {
    const { _rowid: rowId, ...page } = row.toJSON()
    return [rowId as bigint, page as PageText]
  }))
  await checked(rowIds, rowIds.map((id) => rows.get(id)))
  return new Map([...rows.values()].map((page) => [page.url, page]))
}
