import { terms } from '../../chunk/terms.ts'
import { lineAt } from '../../chunk/line.ts'
import { trimmed, type Range } from '../../chunk/range.ts'
import { bodyBlocks, type BodyBlock } from './body-block.ts'
import { excerptOf, headEnd } from './excerpt.ts'
import { apart, excerptChars, type Excerpt } from './excerpt-range.ts'
import { excerptText } from './excerpt-text.ts'
import { telling, type Focus } from './focus.ts'
import { sectionAt, type Outline } from './outline.ts'

/** So much of a table is shown beside its head, and is looked at. */
const most = { chars: 900, table: 50_000 }
/** A row counts that tells half as much as the best. */
const leastShare = 0.5
/** A line of some table: to find the blocks of a section takes longer. */
const tableLike = /^[ \t]*(?:[|+]|==|\* )/m

/**
 * Of a table that is too long to be shown, its head and the rows that tell of the query, wherever
 * in the table they stand. `range` is what would be shown else: null where that is in no such
 * table, where no row has what is asked, and where the range has words of it that no row has.
 */
export function tableRows(outline: Outline, range: Range, focus: Focus): Excerpt | null {
  if (!tableLike.test(outline.text.slice(range.start, range.end))) return null
  const table = longTable(outline, trimmed(outline.text, range))
  if (table === null) return null
  const picked = tellingRows(outline, rowsOf(outline, table), focus)
  if (picked.length === 0) return null
  // What stands around the first and the last one frames them all.
  const ends = [picked[0]!, picked.at(-1)!].map((row) => excerptOf(outline, row))
  const ranges = [...picked, ...ends.flatMap((end) => end.ranges)]
  const excerpt = apart(outline, {
    ranges: ranges.map((range) => ({ ...range, isTight: true })),
    frame: ends.flatMap(({ frame }) => frame),
  })
  const shown = new Set(terms(excerptText(outline, excerpt)))
  const held = new Set(terms(outline.text.slice(range.start, range.end)))
  return focus.terms.every((term) => shown.has(term) || !held.has(term)) ? excerpt : null
}

/** None of HTML: its rows are not lines. */
function longTable(outline: Outline, { start, end }: Range): BodyBlock | null {
  const section = outline.sections[sectionAt(outline, Math.max(start, end - 1))]!
  const table = bodyBlocks(outline, section).find(
    (block) => block.kind === 'table' && block.start < end && start < block.end,
  )
  if (table === undefined) return null
  const size = table.end - table.start
  if (/^\s*</.test(outline.text.slice(table.start, table.end))) return null
  return size > excerptChars.block && size <= most.table ? table : null
}

/** Below the head. Of a grid what stands between two of its lines, with the lower one. */
function rowsOf(outline: Outline, table: BodyBlock): Range[] {
  const { text, lines } = outline
  const rows: Range[] = []
  const isRule = (line: string) => /^\s*\+[-=+]+\+\s*$/.test(line)
  const first = lineAt(lines, headEnd(outline, table))
  const all = Array.from({ length: table.to - first }, (_, i) => {
    const [start, end] = [lines.starts[first + i]!, lines.starts[first + i + 1]!]
    return { start, end, line: text.slice(start, end) }
  })
  const isGrid = all.some(({ line }) => isRule(line))
  const indent = (line: string) => /^\s*/.exec(line)![0].length
  let isOpen = false
  for (const { start, end, line } of all) {
    // Of a table without rules what goes on is indented: a cell, and the list in a cell.
    const isDeep = line.trim() === '' || indent(line) > indent(all[0]!.line)
    const goesOn = isGrid ? isOpen : isDeep
    if (goesOn && rows.length > 0) rows.at(-1)!.end = end
    else rows.push({ start, end })
    isOpen = !isRule(line)
  }
  return rows
}

/** In the order of the table. */
function tellingRows(outline: Outline, rows: readonly Range[], focus: Focus): Range[] {
  const told = telling(outline, rows, focus)
  const scored = rows
    .map((row, i) => ({ row, score: told(i, i + 1) }))
    .sort((a, b) => b.score - a.score)
  const best = scored[0]?.score ?? 0
  let left = most.chars
  const picked = scored.filter(({ row, score }) => {
    if (score === 0 || score < leastShare * best) return false
    left -= row.end - row.start
    return left >= 0
  })
  return picked.map(({ row }) => row).sort((a, b) => a.start - b.start)
}
