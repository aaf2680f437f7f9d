import {
  styledLine,
  lineWidth,
  plainText,
  type Line,
  type Span,
  printableLine,
  joinSpans,
  renderLines,
} from '../span.ts'

const gap = 2

/**
 * Renders a table of at most `width` columns. The first row contains headings. Wraps the widest
 * cells of a wide table. If even single words do not fit, renders each row as a list of labelled
 * cells.
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

/** Shrinks the widest columns first. Returns null if the longest words do not fit. */
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
      const labelCell: Line = [{ text: head === '' ? '  ' : `  ${head.toLowerCase()} ` }, ...cell]
      return cell.length === 0 ? [] : wrapLine(labelCell, width, indent)
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

/**
 * Wraps a line at spaces to at most `width` columns. A longer word has its own line. All lines
 * except the first start with `indent`.
 */
export function wrapLine(spans: Line, width: number, indent: Line = []): Line[] {
  const lines: Span[][] = [[]]
  let used = 0
  const inner = Math.max(1, width - lineWidth(indent))
  for (const word of wordsOf(spans)) {
    const size = lineWidth(word.spans)
    const last = lines.at(-1)!
    const room = lines.length === 1 ? width : inner
    if (used > 0 && used + word.blanks + size > room) {
      lines.push([...word.spans])
      used = size
    } else {
      if (word.blanks > 0 && word.lead) last.push({ ...word.lead, text: ' '.repeat(word.blanks) })
      last.push(...word.spans)
      used += word.blanks + size
    }
  }
  return lines.map((one, i) => (i === 0 ? joinSpans(one) : [...indent, ...joinSpans(one)]))
}

export function wrapText(text: string, width: number, indent = ''): string {
  return wrapLine([{ text }], width, [{ text: indent }])
    .map((spans) => spans.map((span) => span.text).join(''))
    .join('\n')
}

/**
 * A word can have several styles, such as `**bold**ly`. `lead` is the span with the spaces before
 * it.
 */
type Word = { blanks: number; lead: Span | null; spans: Span[] }

function wordsOf(spans: Line): Word[] {
  const words: Word[] = []
  let open: Word | null = null
  let blanks = 0
  let lead: Span | null = null
  for (const span of spans) {
    for (const text of printableLine(span.text).match(/ +|[^ ]+/g) ?? []) {
      if (text.startsWith(' ')) {
        open = null
        blanks += text.length
        lead = span
      } else if (open !== null) open.spans.push({ ...span, text })
      else {
        words.push((open = { blanks, lead, spans: [{ ...span, text }] }))
        blanks = 0
      }
    }
  }
  return words
}

/**
 * Renders an aligned table with a heading row. `width` limits its columns; null means no limit, for
 * a program.
 */
export function renderTable(rows: readonly (readonly string[])[], width: number | null): string {
  const cells = rows.map((row) => row.map((cell) => styledLine(cell)))
  return renderLines(tableLines(cells, width ?? Infinity), { isColoured: false })
}
