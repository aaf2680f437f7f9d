import type { NearChunk } from '../index/vectors.ts'
import type { TextMatch } from '../index/full-text.ts'

export type Fusion = {
  fusion: 'rrf' | 'linear'
  /** Weight of the vector lane, from 0 to 1. The full-text lane has the rest. */
  vectorWeight: number
  /** RRF's k. A larger value reduces the advantage of the first ranks. */
  rrfK: number
}

export type FusedScore = { id: number; score: number; vectorScore: number; textScore: number }

/** The hits of both lanes, best first. `cosines` is for hits that only full text found. */
export type RecallLanes = {
  byText: readonly TextMatch[]
  byVector: readonly NearChunk[]
  cosines: ReadonlyMap<number, number>
}

/**
 * Merges both lanes, best first. `linear` adds the cosine and 3 × coverage³. `rrf` adds reciprocal
 * ranks, and multiplies that of full text by 3 × coverage³. A chunk that is missing in a lane ranks
 * after the lane's last chunk, as in upstream. The cube reduces chance matches: a paraphrased
 * question shares single words with many chunks, whereas an identifier occurs in one chunk only.
 */
export function fuse({ byText, byVector, cosines }: RecallLanes, fusion: Fusion): FusedScore[] {
  const { vectorWeight, rrfK } = fusion
  const text = lane(byText.map(({ id, coverage }) => [id, coverage]))
  const vector = lane(byVector.map(({ id, cosine }) => [id, cosine]))
  // A chunk without an embedding gets the cosine of the farthest candidate.
  const farthest = byVector.at(-1)?.cosine ?? 0
  // The sort is stable, so chunks with equal scores keep the full-text order, then newest first.
  const newest = byVector.toSorted((a, b) => b.id - a.id).map(({ id }) => id)
  const ids = [...new Set([...text.scores.keys(), ...newest])]
  const scored = ids.map((id) => {
    const textScore = text.scores.get(id) ?? 0
    const cosine = vector.scores.get(id) ?? cosines.get(id)
    const weight = 3 * textScore ** 3
    const [near, said] =
      fusion.fusion === 'linear'
        ? [cosine ?? farthest, weight]
        : [1 / (rrfK + vector.rank(id)), weight / (rrfK + text.rank(id))]
    const score = vectorWeight * near + (1 - vectorWeight) * said
    return { id, score, vectorScore: cosine ?? 0, textScore }
  })
  return scored.sort(bestFirst)
}

function lane(hits: [number, number][]) {
  const ranks = new Map(hits.map(([id], i) => [id, i + 1]))
  return { scores: new Map(hits), rank: (id: number) => ranks.get(id) ?? hits.length + 1 }
}

function bestFirst(a: FusedScore, b: FusedScore): number {
  return b.score - a.score || b.textScore - a.textScore
}

/** The chunks written together with a chunk, nearest first. */
export type Neighbours = { before: readonly number[]; after: readonly number[] }

/**
 * Adds a share of the neighbours' scores to each score, because a reply often makes sense only with
 * its question. Only the better of the two sides counts.
 */
export function withNeighbours(
  scored: readonly FusedScore[],
  neighbours: ReadonlyMap<number, Neighbours>,
): FusedScore[] {
  const own = new Map(scored.map(({ id, score }) => [id, score]))
  const scoreOf = (id: number | undefined) => (id === undefined ? 0 : (own.get(id) ?? 0))
  const lifted = scored.map((one) => {
    const { before = [], after = [] } = neighbours.get(one.id) ?? {}
    const gain = shares.reduce(
      (sum, share, i) => sum + share * Math.max(scoreOf(before[i]), scoreOf(after[i])),
      0,
    )
    return { ...one, score: one.score + gain }
  })
  return lifted.sort(bestFirst)
}

/**
 * Returns the inverse of `neighbours`: the neighbours of chunks that occur only as neighbours. This
 * saves a lookup.
 */
export function inverseNeighbours(
  neighbours: ReadonlyMap<number, Neighbours>,
  isIncluded: (id: number) => boolean,
): Map<number, Neighbours> {
  const inverse = new Map<number, { before: number[]; after: number[] }>()
  const sidesOf = (id: number) => inverse.getOrInsertComputed(id, () => ({ before: [], after: [] }))
  for (const [id, { before, after }] of neighbours) {
    for (const [i, other] of before.entries()) if (isIncluded(other)) sidesOf(other).after[i] = id
    for (const [i, other] of after.entries()) if (isIncluded(other)) sidesOf(other).before[i] = id
  }
  return inverse
}

/** The shares of the nearest and second-nearest neighbours, tuned with test/eval/memory. */
const shares = [0.2, 0.04]
