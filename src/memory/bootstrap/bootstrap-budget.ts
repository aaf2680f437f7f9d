/**
 * Distributes `total` characters among sections: a section gets all it needs if that is at most an
 * equal share of the rest. So a long file never displaces a short one.
 */
export function allotTokens(sizes: number[], total: number): number[] {
  const order = sizes.map((_, i) => i).sort((a, b) => sizes[a]! - sizes[b]!)
  const granted = new Array<number>(sizes.length).fill(0)
  let left = total
  for (const [place, i] of order.entries()) {
    const share = Math.max(0, Math.floor(left / (order.length - place)))
    granted[i] = Math.min(sizes[i]!, share)
    left -= granted[i]!
  }
  return granted
}

/** Upstream's estimate: four characters a token, at least one token. */
export function approximateTokens(text: string): number {
  return Math.max(1, Math.floor(text.length / 4))
}

const earlier = '[TRUNCATED - earlier content was omitted; use memory_read to retrieve it]'
const later = '[TRUNCATED - the rest was omitted; use memory_read to retrieve it]'

/**
 * The last part of a text within `maxChars`, including a notice. It starts at an entry or a line.
 */
export function newestPart(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text
  const tail = text.slice(text.length - Math.max(0, maxChars - earlier.length - 2))
  const entry = tail.search(/^## /m)
  const line = tail.indexOf('\n') + 1
  const word = tail.search(/\s/) + 1
  const start = entry >= 0 && entry < tail.length / 2 ? entry : line || word
  return `${earlier}\n\n${tail.slice(start)}`.trimEnd()
}

/** The first part of a text within `maxChars`, including a notice. It ends with a whole line. */
export function oldestPart(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text
  const head = text.slice(0, Math.max(0, maxChars - later.length - 2))
  return `${head.slice(0, head.lastIndexOf('\n') + 1)}\n${later}`.trimStart()
}
