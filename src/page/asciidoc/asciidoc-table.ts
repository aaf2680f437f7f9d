/** The rows between two lines `|===` as a table of Markdown; null where they are no plain one. */
export function asciidocTable(lines: readonly string[], style: readonly string[]): string[] | null {
  const cells = cellsOf(lines)
  const first = lines.find((line) => line.trim() !== '') ?? ''
  const nColumns = columnsSaid(style) ?? first.split(separator).length - 1
  if (nColumns < 1 || nColumns > columnLimit || cells.length < nColumns) return null
  const rows: string[] = []
  for (let at = 0; at < cells.length; at += nColumns) {
    const row = cells.slice(at, at + nColumns)
    while (row.length < nColumns) row.push('')
    rows.push(`| ${row.join(' | ')} |`)
  }
  rows.splice(1, 0, `|${' --- |'.repeat(nColumns)}`)
  return rows
}

/** Nobody reads a wider one, and the line under its head would be longer than the table. */
const columnLimit = 1000

/** Before it may stand what a cell is: `2+|`, `a|`, `.3+^.>s|`. */
const separator = /(?:(?<=^|\s)(?:\d+\*|\d*(?:\.\d+)?\+)?[<^>.]*[adehlmsv]?)?(?<!\\)\|/

function cellsOf(lines: readonly string[]): string[] {
  const cells: string[] = []
  for (const line of lines) {
    const [before = '', ...rest] = line.split(separator)
    // What stands before the first cell goes on with the last one.
    const last = cells.length - 1
    if (before.trim() !== '' && last >= 0) cells[last] = `${cells[last]}<br>${before.trim()}`
    for (const cell of rest) cells.push(cell.trim().replace(/\\\|/g, '\\|'))
  }
  return cells.map((cell) => cell.replace(/^<br>/, ''))
}

/** `[cols="1,2a"]`, `[cols=3*]`; the style was cut at its commas. */
function columnsSaid(style: readonly string[]): number | null {
  const [, quoted, bare] = /\bcols\s*=\s*(?:"([^"]*)"|([^\s,"]+))/.exec(style.join(',')) ?? []
  const said = quoted ?? bare
  if (said === undefined) return null
  const repeats = said.split(/[,;]/).map((part) => Number(/^\s*(\d+)\*/.exec(part)?.[1] ?? 1))
  return repeats.reduce((sum, times) => sum + times, 0)
}
