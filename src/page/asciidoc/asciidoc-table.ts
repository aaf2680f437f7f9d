/** Converts the rows between two `|===` lines to a Markdown table; null if they are too complex. */
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

/** Most columns of a table: the rule under the head of a wider one could outgrow the table. */
const columnLimit = 1000

/** The separator before a cell, with the cell's specifier: `2+|`, `a|`, `.3+^.>s|`. */
const separator = /(?:(?<=^|\s)(?:\d+\*|\d*(?:\.\d+)?\+)?[<^>.]*[adehlmsv]?)?(?<!\\)\|/

function cellsOf(lines: readonly string[]): string[] {
  const cells: string[] = []
  for (const line of lines) {
    const [before = '', ...rest] = line.split(separator)
    // Text before the first separator continues the last cell of the line above.
    const last = cells.length - 1
    if (before.trim() !== '' && last >= 0) cells[last] = `${cells[last]}<br>${before.trim()}`
    for (const cell of rest) cells.push(cell.trim().replace(/\\\|/g, '\\|'))
  }
  return cells.map((cell) => cell.replace(/^<br>/, ''))
}

/** The number of columns that `[cols="1,2a"]` or `[cols=3*]` states. `style` is split at commas. */
function columnsSaid(style: readonly string[]): number | null {
  const [, quoted, bare] = /\bcols\s*=\s*(?:"([^"]*)"|([^\s,"]+))/.exec(style.join(',')) ?? []
  const said = quoted ?? bare
  if (said === undefined) return null
  const repeats = said.split(/[,;]/).map((part) => Number(/^\s*(\d+)\*/.exec(part)?.[1] ?? 1))
  return repeats.reduce((sum, times) => sum + times, 0)
}
