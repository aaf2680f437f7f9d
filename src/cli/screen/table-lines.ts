import { styledLine, lineWidth, plainText, type Line, type Span } from './span.ts'
import { wrapLine } from './wrap.ts'

const gap = 2

/**
 * Renders a table of at most `width` columns; its first row contains the headings. If it is too
 * wide, the widest cells are wrapped. If even single words do not fit, each row becomes a list of
 * labelled cells.
 */
export function tableLines(rows: readonly (readonly Line[])[], width: number): Line[] {
  const count = Math.max(0, ...rows.map((row) => row.length))
  const widest = (measure: (cell: Line) => number, i: number) =>
    rows.reduce((most, row) => Math.max(most, measure(row[i] ?? [])), 1)
  const sizes = (measure: (cell: Line) => number) =>
    Array.from({ length: count }, (_, i) => widest(measure, i))
  const room = width - gap * (count - 1)
  const widths = narrowColumns(sizes(lineWidth), sizes(longestWord), room)
  return widths === null ? records(rows, width) : rows.flatMap((row) => alignRow(row, widths))
}

/**
 * Returns column widths that fit, by shrinking the widest columns first; null if the longest words
 * do not fit.
 */
function narrowColumns(natural: number[], least: number[], room: number): number[] | null {
  if (sum(least) > room) return null
  const widths = [...natural]
  while (sum(widths) > room) {
    const slack = widths.map((width, i) => (width > least[i]! ? width : 0))
    const widest = slack.indexOf(Math.max(...slack))
    widths[widest]! -= Math.min(
      sum(widths) - room,
      Math.max(1, Math.floor((widths[widest]! - least[widest]!) / 4)),
    )
  }
  return widths
}

function alignRow(row: readonly Line[], widths: readonly number[]): Line[] {
  const cells = widths.map((width, i) => wrapLine(row[i] ?? [], width))
  const height = Math.max(1, ...cells.map((lines) => lines.length))
  return Array.from({ length: height }, (_, at) => {
    const spans: Span[] = []
    let missing = 0
    for (const [i, width] of widths.entries()) {
      const cell = cells[i]![at] ?? []
      if (cell.length > 0) {
        if (missing > 0) spans.push({ text: ' '.repeat(missing) })
        spans.push(...cell)
        missing = 0
      }
      missing += width - lineWidth(cell) + gap
    }
    return spans
  })
}

function records([heads = [], ...rows]: readonly (readonly Line[])[], width: number): Line[] {
  const indent = styledLine('    ')
  return rows.flatMap(([first = [], ...cells]) => [
    ...wrapLine(first, width, indent),
    ...cells.flatMap((cell, i) => {
      const head = plainText(heads[i + 1] ?? [])
      const named: Line = [{ text: head === '' ? '  ' : `  ${head.toLowerCase()} ` }, ...cell]
      return cell.length === 0 ? [] : wrapLine(named, width, indent)
    }),
  ])
}

function longestWord(cell: Line): number {
  return Math.max(
    0,
    ...plainText(cell)
      .split(' ')
      .map((word) => lineWidth(styledLine(word))),
  )
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
