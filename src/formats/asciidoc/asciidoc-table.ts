import { markdown } from '../../document/nodes.ts'
import type { DocumentBlock } from '../../document/tree.ts'

/** Parses the rows between two `|===` lines. Returns null if they are too complex. */
export function asciidocTable(
  lines: readonly string[],
  style: readonly string[],
): (DocumentBlock & { type: 'table' }) | null {
  const cells = cellsOf(lines)
  const first = cellsOf(lines.filter((line) => line.trim() !== '').slice(0, 1))
  const nColumns = columnCount(style) ?? first.reduce((sum, { columns }) => sum + columns, 0)
  if (nColumns < 1 || nColumns > columnLimit) return null
  const grid = gridOf(cells, nColumns)
  if (grid.length < nColumns || grid.length > gridLimit) return null
  const rows = []
  for (let at = 0; at < grid.length; at += nColumns) {
    const row = Array.from(grid.slice(at, at + nColumns), (cell) => [markdown(cell ?? '')])
    rows.push(row)
  }
  return { type: 'table', rows, hasHeader: true }
}

/** Maximum number of cells in a table, including spanned cells. */
const gridLimit = 20_000

/** Returns cell texts by position. Spanned positions are empty. */
function gridOf(cells: readonly Cell[], nColumns: number): (string | undefined)[] {
  const grid: (string | undefined)[] = []
  let at = 0
  for (const { text, columns, rows } of cells) {
    while (grid[at] !== undefined) at++
    const width = Math.min(columns, nColumns - (at % nColumns))
    for (let index = at + (rows - 1) * nColumns; index >= at; index -= nColumns)
      for (let column = 0; column < width; column++) grid[index + column] = ''
    grid[at] = text
    if (grid.length > gridLimit) break
  }
  return grid
}

/** Maximum number of columns in a table. It limits the length of the rule below the header. */
const columnLimit = 1000

/** The separator before a cell, with the cell's specifier: `2+|`, `a|`, `.3+^.>s|`. */
export const separator = /(?:(?<=^|\s)(?:\d+\*|\d*(?:\.\d+)?\+)?[<^>.]*[adehlmsv]?)?(?<!\\)\|/

type Cell = { text: string; columns: number; rows: number }

function cellsOf(lines: readonly string[]): Cell[] {
  const cells: Cell[] = []
  for (const line of lines) {
    const [before = '', ...rest] = line.split(separator)
    // Text before the first separator continues the previous line's last cell.
    const last = cells.at(-1)
    if (before.trim() !== '' && last) last.text = `${last.text}<br>${cellLine(before)}`
    const marks = line.match(new RegExp(separator, 'g')) ?? []
    for (const [at, cell] of rest.entries()) {
      const text = cell.trim().replace(/\\\|/g, '\\|')
      const [, columns, rows, sign] = /^(\d{0,3})(?:\.(\d{1,2}))?([*+])/.exec(marks[at]!) ?? []
      const times = Math.min(columnLimit, Number(columns || 1))
      const isCopied = sign === '*'
      for (let copy = isCopied ? times : 1; copy > 0; copy--)
        cells.push({ text, columns: isCopied ? 1 : times, rows: Number(rows ?? 1) })
    }
  }
  for (const cell of cells) cell.text = cell.text.replace(/^<br>/, '')
  return cells
}

/** Returns a line of a cell. A list item loses its nesting. */
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

/** Matches the start of a listing, nested table or note in a cell. */
export const cellBlock = /^(?:-{4,}|!={3,}|\[(?:NOTE|TIP|IMPORTANT|WARNING|CAUTION)\b.*\])\s*$/

const formatOfSign: Record<string, string> = { ',': 'csv', ':': 'dsv' }
const separators: Record<string, string> = { csv: ',', dsv: ':', tsv: '\t' }

/** Returns a table's cell separator. `isOfValues` is true for lines of values, as in CSV. */
export function tableFormat(
  style: readonly string[],
  sign: string,
): { separator: string; isOfValues: boolean } {
  const option = (name: string) =>
    new RegExp(`(?:^|,)${name}\\s*=\\s*"?([^",]+|,)`).exec(style.join(','))?.[1]
  const ofFormat = separators[option('format') ?? formatOfSign[sign] ?? '']
  const usual = ofFormat ?? (sign === '!' ? '!' : '|')
  const separator = option('separator')?.replace('\\t', '\t') ?? usual
  return { separator, isOfValues: ofFormat !== undefined }
}
