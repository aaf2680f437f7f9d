import type { Table } from '@lancedb/lancedb'
import { loadLance, readingSession } from '../lance.ts'
import type { Bucket } from './bucket.ts'

export type TableName = 'chunks' | 'pages'

/**
 * Opens each table on first use and keeps it open. `keysOf` identifies the keys with which a bucket
 * is read. When they change, reopens the table before the old keys expire.
 */
export function openTablesOnce(
  open: (name: TableName) => Promise<Table>,
  keysOf: () => Promise<string> = async () => '',
): { table(name: TableName): Promise<Table>; close(): void } {
  const openTables = new Map<TableName, { keys: string; table: Promise<Table> }>()
  const replacedTables = new Map<TableName, Promise<Table>>()

  return {
    async table(name) {
      const keys = await keysOf()
      const last = openTables.get(name)
      if (last?.keys === keys) return last.table
      if (last !== undefined) {
        closeLater(replacedTables.get(name))
        replacedTables.set(name, last.table)
      }
      const table = open(name)
      openTables.set(name, { keys, table })
      table.catch(() => {
        if (openTables.get(name)?.table === table) openTables.delete(name)
      })
      return table
    },
    close() {
      for (const { table } of openTables.values()) closeLater(table)
      for (const table of replacedTables.values()) closeLater(table)
    },
  }
}

function closeLater(table: Promise<Table> | undefined): void {
  void table?.then(
    (it) => it.close(),
    () => {},
  )
}

export function isInTable(path: string): boolean {
  return /^\w+\.lance\//.test(path)
}

/** Opens a table in the bucket. LanceDB reads only the necessary parts of its files. */
export async function openBucketTable(bucket: Bucket, id: string, name: string): Promise<Table> {
  const [{ connect }, session, storage] = await Promise.all([
    loadLance(),
    readingSession(),
    bucket.storage(),
  ])
  const database = await connect(`${bucket.place}/generations/${id}`, {
    session,
    storageOptions: storage,
  })
  return database.openTable(name)
}
