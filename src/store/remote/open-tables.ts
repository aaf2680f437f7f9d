import type { Table } from '@lancedb/lancedb'

type Name = 'chunks' | 'pages'

type OpenTables = { table(name: Name): Promise<Table>; close(): void }

/**
 * Opens each table on first use and keeps it open. `keysOf` identifies the keys with which a bucket
 * is read; when they change, the table is opened again before its old keys expire.
 */
export function tablesOf(
  open: (name: Name) => Promise<Table>,
  keysOf: () => Promise<string> = async () => '',
): OpenTables {
  const opened = new Map<Name, { keys: string; table: Promise<Table> }>()
  const replaced = new Map<Name, Promise<Table>>()

  return {
    async table(name) {
      const keys = await keysOf()
      const last = opened.get(name)
      if (last?.keys === keys) return last.table
      if (last !== undefined) {
        // A query may still use the last table; queries of the table before it ended long ago.
        closeLater(replaced.get(name))
        replaced.set(name, last.table)
      }
      const table = open(name)
      opened.set(name, { keys, table })
      table.catch(() => {
        if (opened.get(name)?.table === table) opened.delete(name)
      })
      return table
    },
    close() {
      for (const { table } of opened.values()) closeLater(table)
      for (const table of replaced.values()) closeLater(table)
    },
  }
}

function closeLater(table: Promise<Table> | undefined): void {
  void table?.then(
    (it) => it.close(),
    () => {},
  )
}
