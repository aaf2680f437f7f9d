import { Parser } from 'htmlparser2'

/**
 * Converts the tables of an HTML output, such as DataFrames of pandas, to Markdown; '' if it has
 * none. A nested table becomes a separate one. When all tables together exceed about `limit`
 * characters, `…` replaces further rows.
 */
export function htmlTablesToMarkdown(html: string, limit: number): string {
  const reading: Reading = { open: [], tables: [], chars: 0, hidden: 0, limit }
  const parser = new Parser({
    onopentag: (name, attributes) => openTag(reading, name, attributes),
    ontext: (text) => {
      const cell = reading.open.at(-1)?.cell
      if (cell && reading.hidden === 0) cell.push(text)
    },
    onclosetag: (name) => closeTag(reading, name),
  })
  parser.end(html)
  return reading.tables.join('\n\n')
}

type HtmlTable = {
  rows: string[][]
  /** Whether the first row contains column names. */
  hasHeader: boolean
  /** The text of the open cell in pieces; null between cells. */
  cell: string[] | null
  /** The number of columns that the open cell spans. */
  span: number
  /** Whether rows at the end of the table were omitted. */
  isCut: boolean
}

type Reading = {
  /** The open tables, outermost first. */
  open: HtmlTable[]
  tables: string[]
  /** The number of characters in all tables so far, including padding. */
  chars: number
  /** The number of open elements whose text is not shown. */
  hidden: number
  limit: number
}

const hiding = new Set(['style', 'script', 'head', 'template'])
const mostSpan = 50

function openTag(reading: Reading, name: string, attributes: Record<string, string>): void {
  const { open } = reading
  if (hiding.has(name)) reading.hidden++
  if (name === 'table') {
    open.push({ rows: [], hasHeader: false, cell: null, span: 1, isCut: false })
  }
  const table = open.at(-1)
  if (table === undefined) return
  if (name === 'tr') {
    closeCell(reading, table)
    table.isCut ||= reading.chars > reading.limit
    if (!table.isCut) table.rows.push([])
  }
  if (name === 'br') table.cell?.push(' ')
  if ((name !== 'td' && name !== 'th') || table.rows.length === 0) return
  closeCell(reading, table)
  if (name === 'th' && table.rows.length === 1) table.hasHeader = true
  table.cell = []
  table.span = Math.min(mostSpan, Math.max(1, Number.parseInt(attributes.colspan ?? '', 10) || 1))
}

function closeTag(reading: Reading, name: string): void {
  if (hiding.has(name)) reading.hidden--
  const table = reading.open.at(-1)
  if (table === undefined || !/^(?:t[dhr]|table)$/.test(name)) return
  closeCell(reading, table)
  if (name !== 'table') return
  reading.open.pop()
  const shown = tableText(table)
  if (shown !== '') reading.tables.push(shown)
}

function closeCell(reading: Reading, table: HtmlTable): void {
  if (table.cell === null) return
  const text = table.cell.join('').replace(/\s+/g, ' ').trim()
  table.cell = null
  if (table.isCut) return
  const row = table.rows.at(-1)!
  row.push(text.replace(/[\\|<*`]/g, '\\$&'), ...Array.from({ length: table.span - 1 }, () => ''))
  reading.chars += text.length + 3 * table.span
}

function tableText({ rows, hasHeader: isHeaded, isCut }: HtmlTable): string {
  const filled = rows.filter((row) => row.some((cell) => cell !== ''))
  const width = filled.reduce((most, row) => Math.max(most, row.length), 0)
  if (filled.length === 0 || width * filled.length > mostCells) return ''
  const line = (cells: readonly string[]) =>
    `| ${Array.from({ length: width }, (_, at) => cells[at] ?? '').join(' | ')} |`
  const [head, body] = isHeaded ? [filled[0]!, filled.slice(1)] : [[], filled]
  const more = isCut ? [line(['…'])] : []
  return [line(head), `|${'---|'.repeat(width)}`, ...body.map(line), ...more].join('\n')
}

/**
 * Maximum number of cells in a table. Rows are padded to the longest one, so a short text could
 * produce many cells.
 */
const mostCells = 10_000
