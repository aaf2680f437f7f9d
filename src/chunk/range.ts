/** Contiguous characters of a page. `end` is exclusive. */
export type Range = { start: number; end: number }

export function isSpace(unit: number): boolean {
  if (unit <= 32) return unit === 32 || (unit >= 9 && unit <= 13)
  if (unit < 160) return false
  return unit === 160 || (unit >= 0x1680 && /\s/.test(String.fromCharCode(unit)))
}

export function trimRange(text: string, { start, end }: Range): Range {
  while (start < end && isSpace(text.charCodeAt(start))) start++
  while (end > start && isSpace(text.charCodeAt(end - 1))) end--
  return { start, end }
}

export function overlap(a: Range, b: Range): number {
  return Math.max(0, Math.min(a.end, b.end) - Math.max(a.start, b.start))
}

export function without(range: Range, { start, end }: Range): Range[] {
  if (end <= range.start || range.end <= start) return [range]
  const parts = [
    { start: range.start, end: start },
    { start: end, end: range.end },
  ]
  return parts.filter((part) => part.start < part.end)
}
