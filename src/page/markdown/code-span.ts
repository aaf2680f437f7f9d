/**
 * Where the code spans of a line end, by the offset of the ticks that may open one: at the next run
 * of just as many. Ticks that nothing closes are not in it. Read once from the end, since each run
 * would look through the rest of the line for its own.
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
