import type { Table } from '@lancedb/lancedb'
import type { PageRow } from './page-table.ts'

/** A page without its text. */
export type PageHead = Pick<PageRow, 'url' | 'path' | 'title' | 'markup'>

/** Every page without its text, by url, in the order in which they were written. */
export async function pageHeads(table: Table): Promise<Map<string, PageHead>> {
  const heads = new Map<string, PageHead>()
  for await (const batch of table.query().select(['url', 'path', 'title', 'markup'])) {
    for (const { url, path, title, markup } of batch) heads.set(url, { url, path, title, markup })
  }
  return heads
}
