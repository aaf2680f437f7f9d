import type { Table } from '@lancedb/lancedb'
import type { PageRow } from './page-table.ts'
import { isIn } from './where.ts'

export type PageText = Pick<PageRow, 'url' | 'text' | 'markup'>

/** Of these pages, the texts of those that are there, by url. */
export async function pageTexts(
  table: Table,
  urls: readonly string[],
): Promise<Map<string, PageText>> {
  const wanted = ['url', 'text', 'markup']
  const rows = await table.query().where(isIn('url', urls)).select(wanted).toArray()
  return new Map(rows.map((row) => [row.url, row.toJSON() as PageText]))
}
