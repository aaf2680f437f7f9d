/**
 * Returns the offset of the bracket that closes the one at `open`, or -1 if there is none within
 * `limit` characters. Counts only brackets of this `pair`.
 */
export function closingBracket(
  text: string,
  open: number,
  { pair = '[]', limit = Infinity }: { pair?: '[]' | '()' | '{}'; limit?: number } = {},
): number {
  let depth = 0
  const end = Math.min(text.length, open + limit)
  for (let at = open; at < end; at++) {
    if (text[at] === pair[0]) depth++
    else if (text[at] === pair[1] && --depth === 0) return at
  }
  return -1
}
