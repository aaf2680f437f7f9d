import type { TextMatch } from '../index/full-text.ts'
import type { Near } from '../index/vectors.ts'

export type Fusion = {
  /** `rrf`: by rank; `linear`: by the scores themselves, each between 0 and 1. */
  fusion: 'rrf' | 'linear'
  /** 0 to 1: the share of the vector lane; the rest is full text's. */
  vectorWeight: number
  /** RRF's k: the larger, the less the first ranks stand out. */
  rrfK: number
}

export type Scored = { id: number; score: number; vectorScore: number; textScore: number }

/**
 * Both lanes as one, best first, equal ones newest first. RRF is upstream's (a chunk that a lane
 * lacks takes the rank after that lane's last), but the rank by words counts 3 × coverage³: a
 * question in other words finds chunks too, which hold one chance word of it, and an identifier is
 * in one chunk alone (figures: docs/internals/memory.md). `linear` adds coverage² and the cosine,
 * stretched over the candidates' range, since those of unrelated texts hardly differ.
 */
export function fused(byText: TextMatch[], byVector: Near[], fusion: Fusion): Scored[] {
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
