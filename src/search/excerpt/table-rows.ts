import { indexTermsOf } from '../../chunk/terms.ts'
import { lineAt } from '../../chunk/line.ts'
import { trimRange, type Range } from '../../chunk/range.ts'
import { bodyBlocks, type BodyBlock } from './body-block.ts'
import { widenToExcerpt, openingLineEnd } from './excerpt.ts'
import { withoutOverlaps, maxWholeChars, type Excerpt } from './excerpt-range.ts'
import { excerptText } from './excerpt-text.ts'
import { scoreWindows, type QueryFocus } from './focus.ts'
import { sectionAt, type Outline } from './outline.ts'

/** Maximum number of characters to show below a table's header, and to search in a table. */
const most = { chars: 900, table: 50_000 }
/** A row is shown if it scores at least this share of the best row. */
const leastShare = 0.5
/** Quickly finds table lines. Finding a section's blocks is slower. */
const tableLike = /^[ \t]*\|/m

/**
 * Returns the header of a table that is too long to show, and the matching rows from anywhere in
 * the table. `range` is the part that would be shown otherwise. Returns null if the range is not in
 * such a table, if no row matches the query, or if the range contains query terms that no chosen
 * row contains.
 */
export function matchingTableRows(
  outline: Outline,
  range: Range,
  focus: QueryFocus,
): Excerpt | null {
  if (!tableLike.test(outline.text.slice(range.start, range.end))) return null
  const table = longTable(outline, trimRange(outline.text, range))
  if (table === null) return null
  const picked = matchingRows(outline, rowsOf(outline, table), focus)
  if (picked.length === 0) return null
  // The frames of the first and the last row enclose all rows.
  const ends = [picked[0]!, picked.at(-1)!].map((row) => widenToExcerpt(outline, row))
  const ranges = [...picked, ...ends.flatMap((end) => end.ranges)]
  const excerpt = withoutOverlaps(outline, {
    ranges: ranges.map((range) => ({ ...range, isTight: true })),
    frame: ends.flatMap(({ frame }) => frame),
  })
  const excerptTerms = new Set(indexTermsOf(excerptText(outline, excerpt)))
  const rangeTerms = new Set(indexTermsOf(outline.text.slice(range.start, range.end)))
  return focus.terms.every((term) => excerptTerms.has(term) || !rangeTerms.has(term))
    ? excerpt
    : null
}

/** Returns the long table at a range. Ignores HTML tables because their rows are not lines. */
function longTable(outline: Outline, { start, end }: Range): BodyBlock | null {
  const section = outline.sections[sectionAt(outline, Math.max(start, end - 1))]!
  const table = bodyBlocks(outline, section).find(
    (block) => block.kind === 'table' && block.start < end && start < block.end,
  )
  if (table === undefined) return null
  const size = table.end - table.start
  if (/^\s*</.test(outline.text.slice(table.start, table.end))) return null
  return size > maxWholeChars.block && size <= most.table ? table : null
}

function rowsOf(outline: Outline, table: BodyBlock): Range[] {
  const { starts } = outline.lines
  const first = lineAt(outline.lines, openingLineEnd(outline, table))
  return Array.from({ length: table.to - first }, (_, i) => ({
    start: starts[first + i]!,
    end: starts[first + i + 1]!,
  }))
}

function matchingRows(outline: Outline, rows: readonly Range[], focus: QueryFocus): Range[] {
  const scoreOf = scoreWindows(outline, rows, focus)
  const scored = rows
    .map((row, i) => ({ row, score: scoreOf(i, i + 1) }))
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
