import { markdown } from '../../document/nodes.ts'
import type { DocumentBlock } from '../../document/tree.ts'

/** Reads the rows between two `|===` lines; null if they are too complex. */
export function asciidocTable(
  lines: readonly string[],
  style: readonly string[],
): (DocumentBlock & { type: 'table' }) | null {
  const cells = cellsOf(lines)
  const first = lines.find((line) => line.trim() !== '') ?? ''
  const nColumns = columnCount(style) ?? first.split(separator).length - 1
  if (nColumns < 1 || nColumns > columnLimit || cells.length < nColumns) return null
  const rows = []
  for (let at = 0; at < cells.length; at += nColumns) {
    rows.push(cells.slice(at, at + nColumns).map((cell) => [markdown(cell)]))
  }
  return { type: 'table', rows, hasHeader: true }
}

/** Maximum number of columns in a table, so that the rule below its header stays short. */
const columnLimit = 1000

/** The separator before a cell and the cell's specifier: `2+|`, `a|`, `.3+^.>s|`. */
export const separator = /(?:(?<=^|\s)(?:\d+\*|\d*(?:\.\d+)?\+)?[<^>.]*[adehlmsv]?)?(?<!\\)\|/

function cellsOf(lines: readonly string[]): string[] {
  const cells: string[] = []
  for (const line of lines) {
    const [before = '', ...rest] = line.split(separator)
    // Text before the first separator belongs to the last cell of the line above.
    const last = cells.length - 1
    if (before.trim() !== '' && last >= 0) cells[last] = `${cells[last]}<br>${cellLine(before)}`
    for (const cell of rest) cells.push(cell.trim().replace(/\\\|/g, '\\|'))
  }
  return cells.map((cell) => cell.replace(/^<br>/, ''))
}

/** Returns a line of a cell; a list item keeps its sign, but no depth. */
function cellLine(line: string): string {
  return line.trim().replace(/^(?:\*{1,5}|-|\.{1,5})[ \t]+(?=\S)/, '- ')
}

/** Returns the number of columns in `[cols="1,2a"]` or `[cols=3*]`. `style` is split at commas. */
export function columnCount(style: readonly string[]): number | null {
  const [, quoted, bare] = /\bcols\s*=\s*(?:"([^"]*)"|([^\s,"]+))/.exec(style.join(',')) ?? []
  const columns = quoted ?? bare
  if (columns === undefined) return null
  const repeats = columns.split(/[,;]/).map((part) => Number(/^\s*(\d+)\*/.exec(part)?.[1] ?? 1))
  return repeats.reduce((sum, times) => sum + times, 0)
}
