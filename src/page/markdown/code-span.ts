/**
 * The ends of the code spans of a line, by the offset of the backticks that open each. A span ends
 * at the next run of as many backticks; unclosed runs are left out. Scans once from the end, which
 * takes linear time.
 */
export function spanEnds(line: string): ReadonlyMap<number, number> {
  const ends = new Map<number, number>()
  const nextOf = new Map<number, number>()
  for (const { 0: run, index } of [...line.matchAll(/`+/g)].toReversed()) {
    const next = nextOf.get(run.length)
    if (next !== undefined) ends.set(index, next + run.length)
    nextOf.set(run.length, index)
  }
  return ends
}
