import type { Candidate, Lanes } from './lanes.ts'
import type { Named } from './name/names-first.ts'
import { weights } from './weights.ts'

/**
 * How a chunk came by its score: ((fullText + vector) × changelog + evidence) × repeated ×
 * library × language, of the lanes their `points`. Ranks count from 1; null: this lane did not
 * find it.
 */
export type Why = {
  /** Ranked by `score` (BM25) mixed with that of its page; null: nothing is known of its page. */
  fullText: { rank: number; score: number; pageScore: number | null; points: number } | null
  /** Ranked by `cosine` mixed with `pageCosine`; null: nothing is known of its page. */
  vector: { rank: number; cosine: number; pageCosine: number | null; points: number } | null
  /** Where a name is asked: how and where the chunk holds it. Counts before any score. */
  named: Named | null
  /** A name inside the query that it holds and few others do. */
  rareName: string | null
  /** Less than 1 for release notes, unless they are what is asked for. */
  changelog: number
  /** What other passages of its page add. */
  evidence: number
  /** Less than 1 after a better passage of its page. */
  repeated: number
  /** More than 1 in one of several libraries that the query names or the project uses. */
  library: number
  /** Less than 1 in another language than that of the query. */
  language: number
  /** Lines of the passages of its page that are shown with it, as `3-9`. */
  merged: string[]
  /** Addresses of near-copies that are not shown, as often as they are. */
  copies: string[]
}

export type Fused = Candidate & { why: Why }

/**
 * Both lanes as one list. The best candidate of a lane gets all of the lane's points, the last one
 * none.
 */
export function fuse(
  { byText, byVector }: Pick<Lanes, 'byText' | 'byVector'>,
  shares: { text: number; vector: number },
): Fused[] {
  const byKey = new Map<string, Fused>()
  const fusedOf = (candidate: Candidate) => {
    const fused = byKey.get(candidate.key) ?? { ...candidate, score: 0, why: unknown() }
    byKey.set(candidate.key, fused)
    return fused
  }
  // BM25 has a true zero, where there are few candidates.
  const ofText = sharesOf(byText, (best) => best)
  byText.forEach((candidate, i) => {
    const fused = fusedOf(candidate)
    const points = shares.text * ofText(candidate)
    const { bm25: score, pageBm25: pageScore } = candidate
    fused.why.fullText = { rank: i + 1, score, pageScore, points }
    fused.score += points
  })
  const ofVector = sharesOf(byVector, () => weights.span)
  byVector.forEach((candidate, i) => {
    const { cosine, pageCosine } = candidate
    const fused = fusedOf(candidate)
    const points = shares.vector * ofVector(candidate)
    fused.why.vector = { rank: i + 1, cosine, pageCosine, points }
    fused.score += points
  })
  return [...byKey.values()]
}

/** Each collection has a scale of its own, or a large one would fill the candidates. */
function sharesOf<C extends Candidate & { share: number }>(
  candidates: readonly C[],
  spanBelow: (best: number) => number,
): (candidate: C) => number {
  const { depth } = weights
  const groups = Map.groupBy(candidates, (it) => it.collection)
  const scales = new Map(
    [...groups].map(([collection, mine]) => [
      collection,
      shareAboveRest(mine, { depth, span: spanBelow(mine[0]!.score) }),
    ]),
  )
  return ({ collection, score, share }) => share * scales.get(collection)!(score)
}

/**
 * Maps scores to shares: 1 for the best one, 0 for that of the `depth`-th candidate, and 0 for all
 * that is `span` or more below the best. The span keeps a list of a dozen chunks from being spread
 * over all of 0 to 1. `scored` is best first.
 */
export function shareAboveRest(
  scored: readonly { score: number }[],
  { depth, span }: { depth: number; span: number },
): (score: number) => number {
  const best = scored[0]?.score ?? 0
  const zero = Math.max(scored[depth - 1]?.score ?? -Infinity, best - span)
  return (score) => (best > zero ? Math.max(0, score - zero) / (best - zero) : 1)
}

/** The `Why` that a chunk begins with: no lane has found it, and nothing has changed its score. */
export function unknown(): Why {
  const points = { changelog: 1, evidence: 0, repeated: 1, library: 1, language: 1 }
  const places = { fullText: null, vector: null, named: null, rareName: null }
  return { ...places, ...points, merged: [], copies: [] }
}
