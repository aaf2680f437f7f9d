/** Contiguous characters of a page, `end` exclusive. */
export type Range = { start: number; end: number }

/** True if `String.trim` would remove this UTF-16 unit. */
export function isSpace(unit: number): boolean {
  if (unit <= 32) return unit === 32 || (unit >= 9 && unit <= 13)
  if (unit < 160) return false
  return unit === 160 || (unit >= 0x1680 && /\s/.test(String.fromCharCode(unit)))
}

/** Returns the range without the whitespace at both ends; empty if there is nothing else. */
export function trimRange(text: string, range: Range): Range {
  let { start, end } = range
  while (start < end && isSpace(text.charCodeAt(start))) start++
  while (end > start && isSpace(text.charCodeAt(end - 1))) end--
  return { start, end }
}
