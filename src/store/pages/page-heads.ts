import type { Table } from '@lancedb/lancedb'
import type { PageRow } from './page-table.ts'

/** A page without its text, and where its text is. */
export type PageHead = Pick<PageRow, 'url' | 'path' | 'title' | 'markup'> & { rowId: bigint }

/** Every page without its text, by url, in the order in which they were written. */
export async function pageHeads(table: Table): Promise<Map<string, PageHead>> {
  const heads = new Map<string, PageHead>()
  const names = ['url', 'path', 'title', 'markup']
  for await (const batch of table.query().select(names).withRowId()) {
    const rowIds = batch.getChild('_rowid')!.toArray() as BigUint64Array
    const [urls, paths, titles, markups] = names.map((name) => [...batch.getChild(name)!])
    urls!.forEach((url, i) => {
      const head = { url, path: paths![i], title: titles![i], markup: markups![i] }
      heads.set(url, { ...head, rowId: rowIds[i]! })
    })
  }
  return heads
}
