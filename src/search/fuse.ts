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
