/** Replaces a pattern's matches outside code spans. If `replace` returns null, keeps the match. */
export function replaceOutsideCode(
  line: string,
  pattern: RegExp,
  replace: (match: RegExpExecArray) => string | null,
): string {
  const codeEnds = line.includes('`') ? codeSpanEnds(line) : new Map<number, number>()
  const flags = pattern.flags.replace('g', '') + 'g'
  const pieces = new RegExp(`${pattern.source}|(?<ticks>\`+)`, flags)
  let [result, at] = ['', 0]
  for (let match = pieces.exec(line); match !== null; match = pieces.exec(line)) {
    const isCode = match.groups?.ticks !== undefined
    if (isCode) pieces.lastIndex = codeEnds.get(match.index) ?? pieces.lastIndex
    const text = isCode ? null : replace(match)
    if (text === null) continue
    result += line.slice(at, match.index) + text
    at = pieces.lastIndex
  }
  return result + line.slice(at)
}

/**
 * Maps the offset of the opening backticks to the end of each code span. A span ends at the next
 * run of equally many backticks; unclosed runs are omitted. A single scan from the end takes linear
 * time.
 */
export function codeSpanEnds(line: string): ReadonlyMap<number, number> {
  const ends = new Map<number, number>()
  const nextOf = new Map<number, number>()
  for (const { 0: run, index } of [...line.matchAll(/`+/g)].toReversed()) {
    const next = nextOf.get(run.length)
    if (next !== undefined) ends.set(index, next + run.length)
    nextOf.set(run.length, index)
  }
  return ends
}
