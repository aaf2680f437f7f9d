import type { Connection, Table } from '@lancedb/lancedb'
import { collectIfLarge } from '../../platform/garbage.ts'
import type { Columns } from '../schema.ts'
import { isIn } from '../lance.ts'
import { toPageHead } from './page-head.ts'

export type PageRow = {
  url: string
  path: string
  title: string
  description: string
  last_modified: string
  markup: string
  /** Hash of all fields above and the text. Upstream hashes only the text. */
  hash: string
  text: string
  /** A value from the source that changes with the page, such as an ETag, or ''. */
  validator: string
  /** The page's position in its site's navigation; -1 or undefined if it has none. */
  nav_position?: number
  /** The labels of the sections above the page in that navigation, one per line. */
  nav_section?: string
  /** The contents trees of a Sphinx page (page/reference/toctree.ts). */
  toctree?: string
}

export type PageState = Pick<PageRow, 'hash' | 'validator'>

export type PageHead = Pick<PageRow, 'url' | 'path' | 'title' | 'markup' | keyof PageNav> & {
  rowId: bigint
}

type PageNav = Pick<PageRow, 'nav_position' | 'nav_section' | 'toctree'>

export type PageText = Pick<PageRow, 'url' | 'text' | 'markup'>

const columns: Columns = {
  texts: [
    'url',
    'path',
    'title',
    'description',
    'last_modified',
    'markup',
    'hash',
    'text',
    'validator',
    'nav_section',
    'toctree',
  ],
  numbers: ['nav_position'],
}

/** Appends pages. The first call creates the table. */
export async function appendPages(
  database: Connection,
  table: Table | null,
  rows: PageRow[],
): Promise<Table> {
  const { arrowTable } = await import('../schema.ts')
  const cells = rows.map((row) => ({
    ...row,
    nav_position: row.nav_position ?? -1,
    nav_section: row.nav_section ?? '',
    toctree: row.toctree ?? '',
  }))
  const batch = arrowTable(columns, cells, null)
  if (table === null) return database.createTable('pages', batch)
  await table.add(batch)
  return table
}

export async function findPageByUrl(
  table: Table,
  url: string,
): Promise<{ rowId: bigint; row: PageRow } | null> {
  const [first] = await table
    .query()
    .where(isIn('url', [url]))
    .withRowId()
    .limit(1)
    .toArray()
  if (first === undefined) return null
  const { _rowid: rowId, ...row } = first.toJSON()
  return { rowId, row: row as PageRow }
}

export async function* pageRows(table: Table): AsyncGenerator<PageRow[]> {
  for await (const batch of table.query())
    yield batch.toArray().map((row) => row.toJSON() as PageRow)
}

export async function pageStates(table: Table): Promise<Map<string, PageState>> {
  const states = new Map<string, PageState>()
  for await (const batch of table.query().select(['url', 'hash', 'validator'])) {
    for (const { url, hash, validator } of batch) states.set(url, { hash, validator })
  }
  return states
}

/** Reading more pages at once leaves 100 MB of garbage. */
const manyPages = 20_000

export async function pageHeads(table: Table): Promise<Map<string, PageHead>> {
  const heads = new Map<string, PageHead>()
  const names = ['url', 'path', 'title', 'markup', 'nav_position', 'nav_section', 'toctree']
  for await (const batch of table.query().select(names).withRowId()) {
    const rowIds = batch.getChild('_rowid')!.toArray() as BigUint64Array
    const cells = names.map((name) => [name, [...batch.getChild(name)!]] as const)
    rowIds.forEach((rowId, i) => {
      const row = Object.fromEntries(cells.map(([name, column]) => [name, column[i]]))
      heads.set(row.url, toPageHead(row as Omit<PageHead, 'rowId'>, rowId))
    })
  }
  // Each text now exists twice, and the next automatic collection would run only after memory has
  // doubled.
  if (heads.size > manyPages) collectIfLarge()
  return heads
}

/**
 * Returns the texts of these pages by URL. `checked` throws if a row is damaged. Reads rows by id
 * because a search by URL would read every row.
 */
export async function pageTexts(
  table: Table,
  heads: readonly PageHead[],
  checkRows: (rowIds: readonly bigint[], rows: (PageText | undefined)[]) => Promise<void>,
): Promise<Map<string, PageText>> {
  if (heads.length === 0) return new Map()
  const rowIds = heads.map(({ rowId }) => rowId)
  const columns = ['url', 'path', 'title', 'text', 'markup']
  const texts = await table.takeRowIds(rowIds).select(columns).withRowId().toArray()
  const rows = new Map(
    texts.map((row) => {
      const { _rowid: rowId, ...page } = row.toJSON()
      return [rowId as bigint, page as PageText]
    }),
  )
  await checkRows(
    rowIds,
    rowIds.map((id) => rows.get(id)),
  )
  return new Map([...rows.values()].map((page) => [page.url, page]))
}
