/**
 * A cached `indexOf` for a scanner that only moves forward. It searches again only after the
 * scanner has passed the cached position, so that all calls together read the text once.
 */
export function cachedIndexOf(text: string, mark: string): (from: number) => number {
  let start = Infinity
  let at = -1
  return (from) => {
    const isKnown = from >= start && (at < 0 || at >= from)
    if (!isKnown) at = text.indexOf(mark, from)
    if (!isKnown) start = from
    return at
  }
}

/**
 * Returns the offset of the bracket that opens the pair at the end of the text, as in `Title
 * {.class}`: the first one after any earlier closing bracket. Returns -1 if no pair ends the text.
 */
export function findOpeningBracket(text: string, [open, close]: readonly [string, string]): number {
  if (!text.endsWith(close)) return -1
  const before = text.length < 2 ? -1 : text.lastIndexOf(close, text.length - 2)
  return text.indexOf(open, before + 1)
}

/** Returns the offset of the line break that ends the line at an offset, or the end of the text. */
export function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at)
  return end < 0 ? text.length : end
}
