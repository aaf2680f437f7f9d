import { stringWidth } from 'bun'

/** Rows under a heading row, columns aligned; the last column is not padded. */
export function renderTable(rows: readonly (readonly string[])[]): string {
  const widths: number[] = []
  for (const row of rows) {
    row.forEach((cell, i) => (widths[i] = Math.max(widths[i] ?? 0, stringWidth(cell))))
  }
  const line = (row: readonly string[]) =>
    row.map((cell, i) => cell + padding(cell, i === row.length - 1 ? 0 : widths[i]!)).join('  ')
  return rows.map((row) => `${line(row)}\n`).join('')
}

function padding(cell: string, width: number): string {
  return ' '.repeat(Math.max(0, width - stringWidth(cell)))
}
