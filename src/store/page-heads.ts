import type { Table } from '@lancedb/lancedb'
import type { PageRow } from './page-table.ts'

/** A page without its text. */
export type PageHead = Pick<PageRow, 'url' | 'path' | 'title' | 'markup'>

/** Every page without its text, by url, in the order in which they were written. */
export async function pageHeads(table: Table): Promise<Map<string, PageHead>> {
  const heads = new Map<string, PageHead>()
  const names = ['url', 'path', 'title', 'markup']
  for await (const batch of table.query().select(names)) {
    const [urls, paths, titles, markups] = names.map((name) => [...batch.getChild(name)!])
    urls!.forEach((url, i) =>
      heads.set(url, { url, path: paths![i], title: titles![i], markup: markups![i] }))
  }
  return heads
}
