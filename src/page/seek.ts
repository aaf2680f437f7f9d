/**
 * A cached `indexOf` of one mark, for a scanner that moves forward. It searches again only beyond
 * the cached position, so all calls together read the text once.
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
 * The offset of the opening bracket of the pair that ends a text, as in `Title {.class}`: the first
 * one after any earlier closing bracket. -1 if the text does not end with a pair.
 */
export function findOpeningBracket(text: string, [open, close]: readonly [string, string]): number {
  if (!text.endsWith(close)) return -1
  const before = text.length < 2 ? -1 : text.lastIndexOf(close, text.length - 2)
  return text.indexOf(open, before + 1)
}
