import { stringWidth } from 'bun'
import { renderLines, styledLine } from '../screen/span.ts'
import { tableLines } from '../screen/table-lines.ts'

/**
 * Renders a table with a heading row and aligned columns. It fits into `width` columns; null means
 * that a program reads it and the width is unlimited.
 */
export function renderTable(rows: readonly (readonly string[])[], width: number | null): string {
  if (width !== null) {
    const cells = rows.map((row) => row.map((cell) => styledLine(cell)))
    return renderLines(tableLines(cells, width), { isColoured: false })
  }
  const widths: number[] = []
  for (const row of rows) {
    row.forEach((cell, i) => (widths[i] = Math.max(widths[i] ?? 0, stringWidth(cell))))
  }
  const joined = (row: readonly string[]) =>
    row.map((cell, i) => cell + padding(cell, i === row.length - 1 ? 0 : widths[i]!)).join('  ')
  return rows.map((row) => `${joined(row)}\n`).join('')
}

function padding(cell: string, width: number): string {
  return ' '.repeat(Math.max(0, width - stringWidth(cell)))
}
