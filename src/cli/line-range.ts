import { OgError } from '../platform/error.ts'

/** Lines of a page, 1-based and inclusive. */
export type LineRange = { first: number; last: number }

export function parseLineRange(typed: string): LineRange {
  const [, from, dash, to] = /^(\d{1,9})(-?)(\d{0,9})$/.exec(typed) ?? []
  const first = Number(from)
  const last = dash === '' ? first : to === '' ? Infinity : Number(to)
  if (from !== undefined && first >= 1 && last >= first) return { first, last }
  throw new OgError(`Cannot use "${typed}" for --lines: must be A-B, with 1 <= A <= B`)
}

/** Returns the lines of the range with their line endings; null if the text has no line `first`. */
export function linesInRange(text: string, { first, last }: LineRange): string | null {
  const start = offsetOfLine(text, first)
  if (start === null || (start === text.length && start > 0)) return null
  return text.slice(start, (last === Infinity ? null : offsetOfLine(text, last + 1)) ?? undefined)
}

function offsetOfLine(text: string, line: number): number | null {
  let offset = 0
  for (let at = 1; at < line; at++) {
    const end = text.indexOf('\n', offset)
    if (end < 0) return null
    offset = end + 1
  }
  return offset
}
