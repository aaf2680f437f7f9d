import { boxEndMark } from '../../document/box.ts'

/** Represents a blank line between two blocks. */
export const blockMark = '\u0001'
/** Represents a line break. */
export const lineMark = '\u0002'

/** Replaces the marks with line breaks. Removes all other blank lines. */
export function joinBlocks(text: string): string {
  if (!/[\u0001\u0002]/.test(text)) return text
  const out: string[] = []
  let isSkipping = false
  const lines = text.replace(/[\u0001\u0002]/g, '\n$&\n').split('\n')
  for (const line of lines) {
    const isMark = line === blockMark || line === lineMark
    const isBlank = line.trim() === '' && line !== boxEndMark
    if (isMark || (isBlank && isSkipping)) {
      if (isMark && !isSkipping) {
        while (isBlankLine(out.at(-1))) out.pop()
        if (out.length > 0) out.push(out.pop()!.replace(/ +$/, ''))
      }
      if (line === blockMark && out.length > 0 && out.at(-1) !== '') out.push('')
      isSkipping = true
      continue
    }
    isSkipping = false
    out.push(isBlank ? line : line.trimStart() === boxEndMark ? boxEndMark : line)
  }
  if (isSkipping && out.at(-1) !== '') out.push('')
  return out.join('\n')
}

function isBlankLine(line: string | undefined): boolean {
  return line !== undefined && line.trim() === '' && line !== boxEndMark
}

/** A cell that spans columns and rows. `below` is its text in all rows except the first. */
export type SpannedCell = { text: string; columns: number; rows: number; below?: string }

export type HtmlCell = SpannedCell & {
  isHeader: boolean
  /** True if the cell contains a fence, table, heading or paragraphs. */
  hasBlocks: boolean
}

/**
 * Renders a table as Markdown. A layout table, whose cells contain blocks, becomes those blocks.
 */
export function htmlTableText(rows: readonly HtmlCell[][], margin: string): string {
  const fullRows = rows.filter((row) => row.length > 0)
  const cells = fullRows.flat()
  if (cells.some(({ hasBlocks }) => hasBlocks) || cells.length > mostCells) {
    const blocks = cells.map(({ text }) => text.replaceAll('<br>', lineMark)).join(blockMark)
    return blockMark + blocks + blockMark
  }
  const grid = gridOf(
    fullRows.map((row) => row.map((cell) => ({ ...cell, text: cellText(cell.text) }))),
  )
  const width = grid.reduce((most, row) => Math.max(most, row.length), 0)
  if (cells.every(({ text }) => cellText(text) === '') || width * grid.length > mostCells) return ''
  const line = (row: readonly string[]) =>
    `${margin}| ${Array.from({ length: width }, (_, at) => row[at] ?? '').join(' | ')} |`
  const isHeaded = fullRows[0]!.some(({ isHeader }) => isHeader)
  const [head, body] = isHeaded ? [grid[0]!, grid.slice(1)] : [[], grid]
  const lines = [line(head), `${margin}|${'---|'.repeat(width)}`, ...body.map(line)]
  return blockMark + lines.join('\n') + blockMark
}

/** Maximum number of cells in a table, because short HTML can declare many. */
const mostCells = 20_000

/**
 * Returns cell texts by row and column. After 20,000 cells, ignores spans, because short HTML can
 * declare many.
 */
export function gridOf(rows: readonly (readonly SpannedCell[])[]): string[][] {
  /** For each column, the spanning cell above and the number of rows that it still covers. */
  const covered: { below: string; nRows: number }[] = []
  let nCells = 0
  return rows.map((row) => {
    const line: string[] = []
    const skip = () => {
      for (let above = covered[line.length]; above && above.nRows > 0; ) {
        above.nRows--
        line.push(above.below)
        above = covered[line.length]
      }
    }
    for (const { text, columns, rows: height, below = '' } of row) {
      skip()
      const isLate = nCells > mostCells
      for (let at = 0; at < (isLate ? 1 : columns); at++) {
        covered[line.length] = { below: at === 0 ? below : '', nRows: isLate ? 0 : height - 1 }
        line.push(at === 0 ? text : '')
      }
    }
    skip()
    nCells += line.length
    return line
  })
}

function cellText(text: string): string {
  return text
    .replace(/[\u0001\u0002]/g, '<br>')
    .replace(/\s+/g, ' ')
    .replace(/(?:\s*<br>\s*)+/g, '<br>')
    .replace(/^<br>|<br>$/g, '')
    .trim()
    .replace(/(?<!\\)\|/g, '\\|')
}
