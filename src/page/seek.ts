/**
 * `indexOf` of one mark for a scanner that asks from further and further on: what was found ahead,
 * or is known to be absent, is not sought again. So all its answers together read the text once.
 */
export function seeker(text: string, mark: string): (from: number) => number {
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
 * Where the brackets open that a text ends with, as in `Title {.class}`: at the first opening mark
 * behind any earlier closing one. -1 where the text does not end so.
 */
export function bracketAtEnd(text: string, [open, close]: readonly [string, string]): number {
  if (!text.endsWith(close)) return -1
  const before = text.length < 2 ? -1 : text.lastIndexOf(close, text.length - 2)
  return text.indexOf(open, before + 1)
}
