import { trimmed, type Range } from '../../chunk/range.ts'
import { sectionsOf, type Outline } from './outline.ts'

/**
 * What is shown of a page for a chunk of it: text that can be read alone. `ranges` is what was
 * found, whole blocks; `frame` what it needs from elsewhere: its heading, the head of its table,
 * the lines that open and close its code. Both ascending and apart from each other.
 */
export type Excerpt = { ranges: Part[]; frame: Frame[] }

/** `isTight`: no blank line beside it where something was left out. */
type Part = Range & { isTight?: boolean }

/** A range shown around an excerpt; `instead`: a text shown in its place. */
export type Frame = Part & { instead?: string }

/** Text under one heading, and code, a table or a list, up to such a length are shown whole. */
export const excerptChars = { section: 1500, block: 1200 }

/**
 * Two excerpts as one; null where they are neither adjacent nor of one section, or too long
 * together.
 */
export function joined(outline: Outline, a: Excerpt, b: Excerpt): Excerpt | null {
  const both = apart(outline, {
    ranges: [...a.ranges, ...b.ranges],
    frame: [...a.frame, ...b.frame],
  })
  const isApart = both.ranges.length === a.ranges.length + b.ranges.length
  const isOne = sectionsOf(outline, [...a.ranges, ...b.ranges]).size === 1
  if (isApart && !isOne) return null
  // A short section that answers is not buried in a long one beside it.
  const most = Math.max(excerptChars.section, sizeOf(a.ranges))
  return sizeOf(both.ranges) <= most ? both : null
}

/** Whether all of a range is shown already. */
export function holds({ ranges }: Excerpt, { start, end }: Range): boolean {
  return ranges.some((range) => range.start <= start && end <= range.end)
}

/**
 * The excerpt without overlaps: ranges that touch or overlap are joined, and each frame stands
 * once, unless a range shows it anyway.
 */
export function apart({ text }: Outline, { ranges, frame }: Excerpt): Excerpt {
  const joined: Part[] = []
  for (const range of ranges.toSorted((a, b) => a.start - b.start)) {
    const last = joined.at(-1)
    const isNear =
      last &&
      (range.start <= last.end || isBlankBetween(text, { start: last.end, end: range.start }))
    if (isNear) last.end = Math.max(last.end, range.end)
    else joined.push({ ...range })
  }
  const kept = new Map(frame.map((one) => [one.start, one]))
  const left = [...kept.values()].filter(
    (one) => !joined.some((range) => one.start < range.end && range.start < one.end),
  )
  return { ranges: joined, frame: left.sort((a, b) => a.start - b.start) }
}

function sizeOf(ranges: Range[]): number {
  return ranges.reduce((sum, { start, end }) => sum + end - start, 0)
}

function isBlankBetween(text: string, { start, end }: Range): boolean {
  return start >= end || (end - start < 1000 && trimmed(text, { start, end }).start === end)
}
