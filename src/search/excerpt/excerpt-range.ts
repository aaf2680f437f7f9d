import { trimRange, type Range } from '../../chunk/range.ts'
import { sectionsOf, type Outline } from './outline.ts'

/**
 * The part of a page that is shown for one of its chunks, readable on its own. `ranges` are the
 * matched parts, as whole blocks. `frame` is context from elsewhere: the heading, a table's header,
 * or the opening and closing lines of code. Both are in ascending order without overlaps.
 */
export type Excerpt = { ranges: Part[]; frame: Frame[] }

/** With `isTight`, no blank line is added next to this part where text is omitted. */
type Part = Range & { isTight?: boolean }

/** A range shown around an excerpt. `instead` is text that replaces it. */
export type Frame = Part & { instead?: string }

/** Maximum number of characters of a section or block (code, table, list) that is shown whole. */
export const maxWholeChars = { section: 1500, block: 1200 }

/**
 * Merges two excerpts. Returns null if they are neither adjacent nor in the same section, or if the
 * result would be too long.
 */
export function mergeExcerpts(outline: Outline, a: Excerpt, b: Excerpt): Excerpt | null {
  const both = withoutOverlaps(outline, {
    ranges: [...a.ranges, ...b.ranges],
    frame: [...a.frame, ...b.frame],
  })
  const isApart = both.ranges.length === a.ranges.length + b.ranges.length
  const isOne = sectionsOf(outline, [...a.ranges, ...b.ranges]).size === 1
  if (isApart && !isOne) return null
  // A short section that answers the query must not be hidden in a long one next to it.
  const most = Math.max(maxWholeChars.section, sizeOf(a.ranges))
  return sizeOf(both.ranges) <= most ? both : null
}

/** True if the excerpt already shows the whole range. */
export function showsRange({ ranges }: Excerpt, { start, end }: Range): boolean {
  return ranges.some((range) => range.start <= start && end <= range.end)
}

/** Joins touching or overlapping ranges, and drops frames that repeat or are already shown. */
export function withoutOverlaps({ text }: Outline, { ranges, frame }: Excerpt): Excerpt {
  const joined: Part[] = []
  for (const range of ranges.toSorted((a, b) => a.start - b.start)) {
    const last = joined.at(-1)
    const isNear =
      last &&
      (range.start <= last.end || isBlankBetween(text, { start: last.end, end: range.start }))
    if (isNear) last.end = Math.max(last.end, range.end)
    else joined.push({ ...range })
  }
  const frames = new Map(frame.map((one) => [one.start, one]))
  const left = [...frames.values()].filter(
    (one) => !joined.some((range) => one.start < range.end && range.start < one.end),
  )
  return { ranges: joined, frame: left.sort((a, b) => a.start - b.start) }
}

function sizeOf(ranges: Range[]): number {
  return ranges.reduce((sum, { start, end }) => sum + end - start, 0)
}

function isBlankBetween(text: string, { start, end }: Range): boolean {
  return start >= end || (end - start < 1000 && trimRange(text, { start, end }).start === end)
}
