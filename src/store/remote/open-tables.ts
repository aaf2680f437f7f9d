import type { Table } from '@lancedb/lancedb'

/** Each is opened when it is first asked for, and then kept. */
export function tablesOf(open: (name: 'chunks' | 'pages') => Promise<Table>) {
  const opened = new Map<string, Promise<Table>>()
  return {
    table(name: 'chunks' | 'pages'): Promise<Table> {
      const table = opened.get(name) ?? open(name)
      opened.set(name, table)
      return table
    },
    close() {
      for (const table of opened.values()) void table.then((it) => it.close(), () => {})
    },
  }
}
