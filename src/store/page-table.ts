import type { Connection, Table } from '@lancedb/lancedb'
import { arrowTable, type Columns } from './schema.ts'
import { equals } from './where.ts'

/** A page as it is kept: exact text and what tells whether it changed. */
export type PageRow = {
  url: string
  path: string
  title: string
  description: string
  last_modified: string
  markup: string
  /** Hash of everything above and of the text (W-17: upstream hashed the text alone). */
  hash: string
  text: string
}

const columns: Columns = {
  texts: ['url', 'path', 'title', 'description', 'last_modified', 'markup', 'hash', 'text'],
  numbers: [],
}

/** Appends pages; the first call creates the table. */
export async function appendPages(
  database: Connection,
  table: Table | null,
  rows: PageRow[],
): Promise<Table> {
  const batch = arrowTable(columns, rows, null)
  if (table === null) return database.createTable('pages', batch)
  await table.add(batch)
  return table
}

export async function pageByUrl(table: Table, url: string): Promise<PageRow | null> {
  const rows = await table.query().where(equals('url', url)).limit(1).toArray()
  return rows.length === 0 ? null : (rows[0].toJSON() as PageRow)
}

/** url → hash of every page. */
export async function pageHashes(table: Table): Promise<Map<string, string>> {
  const hashes = new Map<string, string>()
  for await (const batch of table.query().select(['url', 'hash'])) {
    for (const row of batch) hashes.set(row.url, row.hash)
  }
  return hashes
}
