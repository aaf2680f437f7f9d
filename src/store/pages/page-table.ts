import type { Connection, Table } from '@lancedb/lancedb'
import { arrowTable, type Columns } from '../schema.ts'
import { equals } from '../where.ts'

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
  /** The source's own note, by which it can tell whether the page has changed; '': none. */
  validator: string
}

/** What tells whether a page has changed. */
export type PageState = Pick<PageRow, 'hash' | 'validator'>

const columns: Columns = {
  texts: [
    'url', 'path', 'title', 'description', 'last_modified', 'markup', 'hash', 'text', 'validator',
  ],
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

export async function pageByUrl(
  table: Table,
  url: string,
): Promise<{ rowId: bigint; row: PageRow } | null> {
  const [found] = await table.query().where(equals('url', url)).withRowId().limit(1).toArray()
  if (found === undefined) return null
  const { _rowid: rowId, ...row } = found.toJSON()
  return { rowId, row: pageRow({ toJSON: () => row }) }
}

/** Every page, in the order in which they were written, a batch at a time. */
export async function* pageRows(table: Table): AsyncGenerator<PageRow[]> {
  for await (const batch of table.query()) yield batch.toArray().map(pageRow)
}

/** The state of every page, by url. */
export async function pageStates(table: Table): Promise<Map<string, PageState>> {
  const { fields } = await table.schema()
  const hasValidators = fields.some(({ name }) => name === 'validator')
  const states = new Map<string, PageState>()
  const wanted = ['url', 'hash', ...(hasValidators ? ['validator'] : [])]
  for await (const batch of table.query().select(wanted)) {
    for (const { url, hash, validator = '' } of batch) states.set(url, { hash, validator })
  }
  return states
}

/** Tables of earlier versions have no validators. */
function pageRow(row: { toJSON(): unknown }): PageRow {
  return { validator: '', ...(row.toJSON() as Omit<PageRow, 'validator'>) }
}
