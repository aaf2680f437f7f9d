import type { Candidate } from './candidate.ts'
import { guideHits, mixed } from './guides-and-api.ts'
import type { Lanes } from './lanes.ts'
import { weights } from './weights.ts'

/** Merges both lanes. A lane's best candidate gets all of its points, and the last one none. */
export function fuse(
  { byText, byVector }: Pick<Lanes, 'byText' | 'byVector'>,
  shareOf: (candidate: Candidate) => { text: number; vector: number },
): Candidate[] {
  const byKey = new Map<string, Candidate>()
  const fusedOf = ({ key, rowId, url, collection, why }: Candidate) =>
    byKey.getOrInsertComputed(key, () => ({ key, rowId, url, collection, why, score: 0 }))
  // BM25, unlike cosines, has a true zero. It is the lower end of the scale if there are few
  // candidates.
  const ofText = sharesOf(byText, (best) => best)
  byText.forEach((candidate, i) => {
    const fused = fusedOf(candidate)
    const points = shareOf(candidate).text * ofText(candidate)
    const { bm25: score, pageBm25: pageScore } = candidate
    fused.why.fullText = { rank: i + 1, score, pageScore, points }
    fused.score += points
  })
  const ofVector = sharesOf(byVector, () => weights.span)
  byVector.forEach((candidate, i) => {
    const { cosine, pageCosine } = candidate
    const fused = fusedOf(candidate)
    const points = shareOf(candidate).vector * ofVector(candidate)
    fused.why.vector = { rank: i + 1, cosine, pageCosine, points }
    fused.score += points
  })
  return [...byKey.values()]
}

/** Scales each collection separately. Otherwise a large one would supply all candidates. */
function sharesOf<C extends Candidate & { share: number }>(
  candidates: readonly C[],
  spanBelow: (best: number) => number,
): (candidate: C) => number {
  const { depth } = weights
  const groups = Map.groupBy(candidates, (it) => it.collection)
  const scales = new Map(
    [...groups].map(([collection, mine]) => {
      const [ofGuides, ofAll] = [guideHits(mine), mine].map((hits) =>
        toShare(hits, { depth, span: spanBelow(hits[0]!.score) }),
      )
      const { guideShare } = collection
      const scale = (score: number) =>
        mixed(guideShare, Math.min(1, ofGuides!(score)), ofAll!(score))
      return [collection, scale]
    }),
  )
  return ({ collection, score, share }) => share * scales.get(collection)!(score)
}

/**
 * Returns a function that maps scores to shares: 1 for the best score, and 0 for the `depth`-th
 * score and for scores that are `span` or more below the best. The span keeps the scores of a few
 * chunks from being stretched over the whole range. `scored` is best first.
 */
export function toShare(
  scored: readonly { score: number }[],
  { depth, span }: { depth: number; span: number },
): (score: number) => number {
  const best = scored[0]?.score ?? 0
  const zero = Math.max(scored[depth - 1]?.score ?? -Infinity, best - span)
  return (score) => (best > zero ? Math.max(0, score - zero) / (best - zero) : 1)
}
