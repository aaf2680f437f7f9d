/** One lane's answer, best first. */
export type Lane<Id> = { weight: number; ids: Id[] }

/**
 * Weighted reciprocal rank fusion (Cormack, Clarke and Büttcher 2009): score = Σ weight / (k +
 * rank), ranks from 1. Best first; ties keep the order of first sight.
 */
export function fuseRanks<Id>(lanes: Lane<Id>[], k: number): { id: Id; score: number }[] {
  const scores = new Map<Id, number>()
  for (const { weight, ids } of lanes) {
    ids.forEach((id, i) => scores.set(id, (scores.get(id) ?? 0) + weight / (k + i + 1)))
  }
  return [...scores].map(([id, score]) => ({ id, score })).sort((a, b) => b.score - a.score)
}

/**
 * Several good chunks speak for their page: the page's best chunk gains what the others score
 * above the `depth`-th candidate (in a small library every chunk is one), each next one counting
 * `decay` times less. `scored` is best first, and so is the answer.
 */
export function addPageEvidence<Chunk extends { score: number }>(
  scored: Chunk[],
  options: { page: (chunk: Chunk) => string; decay: number; depth: number },
): Chunk[] {
  const floor = scored[Math.min(scored.length, options.depth) - 1]?.score ?? 0
  const best = new Map<string, { chunk: Chunk; share: number }>()
  const ranked = scored.map((chunk) => ({ ...chunk }))
  for (const [i, chunk] of ranked.entries()) {
    const first = best.get(options.page(chunk))
    if (first === undefined) {
      best.set(options.page(chunk), { chunk, share: 1 })
      continue
    }
    first.share *= options.decay
    first.chunk.score += first.share * Math.max(0, scored[i]!.score - floor)
  }
  return ranked.sort((a, b) => b.score - a.score)
}
