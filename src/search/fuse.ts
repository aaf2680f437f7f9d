import { guideHits, mixed } from './guides-and-api.ts'
import type { Candidate, Lanes } from './lanes.ts'
import type { NameMatch } from './name/names-first.ts'
import { weights } from './weights.ts'

/**
 * The parts of a chunk's score: ((fullText + vector) × changelog × version × api × list × example +
 * evidence) × repeated × library × language + fullness, where each lane contributes its `points`.
 * Ranks start at 1; null means that this lane did not find the chunk.
 */
export type ScoreParts = {
  /** Ranked by `score` (BM25) mixed with the page's score, which is null if it is unknown. */
  fullText: { rank: number; score: number; pageScore: number | null; points: number } | null
  /** Ranked by `cosine` mixed with `pageCosine`, which is null if it is unknown. */
  vector: { rank: number; cosine: number; pageCosine: number | null; points: number } | null
  /**
   * If the query is a name: how and where the chunk contains that name. It outranks every score.
   */
  nameMatch: NameMatch | null
  /** A name from the query that this chunk and only a few others contain. */
  rareName: string | null
  /** Less than 1 for release notes, unless the query asks for changes. */
  changelog: number
  /** Less than 1 for upgrade notes, older majors, and modules other than the main one. */
  version: number
  /** Less than 1 for the API reference, unless the query is a name. */
  api: number
  /** Less than 1 if the query asks for an example and the passage has no code. */
  example: number
  /** Less than 1 for a list of features or a table of contents. */
  list: number
  /** Score gained from other passages of the same page. */
  evidence: number
  /** Less than 1 if a better passage of the same page is ranked above this one. */
  repeated: number
  /**
   * More than 1 if several libraries are searched and the query names this one or the project uses
   * it.
   */
  library: number
  /** Less than 1 if the page and the query are in different languages. */
  language: number
  /** Line ranges of other passages of the page that were merged into this hit, such as `3-9`. */
  merged: string[]
  /** URLs of hidden near-copies, one entry per copy. */
  copies: string[]
  /** Score gained in a library without guides by a full answer; negative for a short one. */
  fullness: number
  /** Names of the same symbol in other modules, which are hidden: `zod/mini.string`. */
  twins: string[]
}

export type Fused = Candidate & { why: ScoreParts }

/**
 * Merges both lanes into one list. The best candidate of a lane gets all of the lane's points, the
 * last one gets none.
 */
export function fuse(
  { byText, byVector }: Pick<Lanes, 'byText' | 'byVector'>,
  shareOf: (candidate: Candidate) => { text: number; vector: number },
): Fused[] {
  const byKey = new Map<string, Fused>()
  const fusedOf = (candidate: Candidate) => {
    const known = byKey.get(candidate.key)
    if (known !== undefined) return known
    const { rowId, url, collection, key } = candidate
    const fused = { rowId, url, collection, key, score: 0, why: emptyScoreParts() }
    byKey.set(key, fused)
    return fused
  }
  // BM25 has a true zero, unlike cosines; it is the lower end of the scale if there are few
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

/** Each collection has its own scale; otherwise a large collection would fill all candidates. */
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
 * Maps scores to shares: 1 for the best score, 0 for the score of the `depth`-th candidate, and 0
 * for every score that is `span` or more below the best. The span keeps the scores of a few chunks
 * from being stretched over the whole range from 0 to 1. `scored` is best first.
 */
export function toShare(
  scored: readonly { score: number }[],
  { depth, span }: { depth: number; span: number },
): (score: number) => number {
  const best = scored[0]?.score ?? 0
  const zero = Math.max(scored[depth - 1]?.score ?? -Infinity, best - span)
  return (score) => (best > zero ? Math.max(0, score - zero) / (best - zero) : 1)
}

/** The initial `ScoreParts` of a chunk: found by no lane, with no adjustments. */
export function emptyScoreParts(): ScoreParts {
  return {
    fullText: null,
    vector: null,
    nameMatch: null,
    rareName: null,
    changelog: 1,
    version: 1,
    api: 1,
    example: 1,
    list: 1,
    evidence: 0,
    fullness: 0,
    repeated: 1,
    library: 1,
    language: 1,
    merged: [],
    copies: [],
    twins: [],
  }
}
