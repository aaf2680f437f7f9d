import type { Budget, ChunkPlace } from './budget.ts'
import { fitsTokens } from './budget.ts'
import type { Range } from './range.ts'
import { isSpace } from './range.ts'

/**
 * Moves the start of each range but the first back into the range before it, by at most
 * `overlapChars`, to the start of a line or else of a word; less where tokens do not allow it.
 */
export function overlapped(
  { budget, place }: { budget: Budget; place: ChunkPlace },
  ranges: Range[],
  overlapChars: number,
): Range[] {
  if (overlapChars <= 0) return ranges
  return ranges.map((range, index) => {
    const before = ranges[index - 1]
    if (before === undefined) return range
    for (let chars = overlapChars; chars >= 1; chars = Math.floor(chars / 2)) {
      const from = Math.max(before.start, range.start - chars)
      const start = border(budget.text, { start: from, end: range.start })
      const wider = { start, end: range.end }
      if (start < range.start && fitsTokens(budget, place, wider)) return wider
    }
    return range
  })
}

/** The start of the first line in the range that is not blank; else of a word; else its end. */
function border(text: string, range: Range): number {
  let word = range.end
  let line = range.end
  for (let at = range.end - 1; at >= range.start; at--) {
    const before = at === 0 ? 10 : text.charCodeAt(at - 1)
    if (isSpace(before) && !isSpace(text.charCodeAt(at))) word = at
    if (before === 10 && word < range.end) line = at
  }
  return line < range.end ? line : word
}
