import type { TextMatch } from '../index/full-text.ts'
import type { NearChunk } from '../index/vectors.ts'

export type Fusion = {
  /** `rrf` combines ranks; `linear` combines scores, each between 0 and 1. */
  fusion: 'rrf' | 'linear'
  /** Weight of the vector lane from 0 to 1; full text gets the rest. */
  vectorWeight: number
  /** RRF's k; a larger value makes the first ranks stand out less. */
  rrfK: number
}

export type FusedScore = { id: number; score: number; vectorScore: number; textScore: number }

/**
 * Merges both lanes, best first; ties are sorted newest first. RRF is upstream's (a chunk missing
 * in a lane gets the rank after its last), but the full-text rank is weighted by 3 × coverage³: a
 * paraphrased question also finds chunks that share one word by chance, while an identifier is in
 * one chunk only (figures: docs/internals/memory.md). `linear` adds coverage² and the cosine scaled
 * to the candidates' range, because cosines of unrelated texts hardly differ.
 */
export function fuse(byText: TextMatch[], byVector: NearChunk[], fusion: Fusion): FusedScore[] {
  const { vectorWeight, rrfK } = fusion
  const text = lane(byText.map(({ id, coverage }) => [id, coverage]))
  const vector = lane(byVector.map(({ id, cosine }) => [id, cosine]))
  const lowest = byVector.at(-1)?.cosine ?? 0
  const range = (byVector[0]?.cosine ?? 0) - lowest || 1
  const ids = [...new Set([...text.scores.keys(), ...vector.scores.keys()])]
  const scored = ids.map((id) => {
    const textScore = text.scores.get(id) ?? 0
    const vectorScore = vector.scores.get(id) ?? 0
    const [near, said] =
      fusion.fusion === 'linear'
        ? [Math.max(0, vectorScore - lowest) / range, textScore ** 2]
        : [1 / (rrfK + vector.rank(id)), (3 * textScore ** 3) / (rrfK + text.rank(id))]
    const score = vectorWeight * near + (1 - vectorWeight) * said
    return { id, score, vectorScore, textScore }
  })
  return scored.sort((a, b) => b.score - a.score || b.textScore - a.textScore || b.id - a.id)
}

function lane(hits: [number, number][]) {
  const ranks = new Map(hits.map(([id], i) => [id, i + 1]))
  return { scores: new Map(hits), rank: (id: number) => ranks.get(id) ?? hits.length + 1 }
}
