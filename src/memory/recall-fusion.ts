import type { TextMatch } from './full-text.ts'
import type { Near } from './vectors.ts'

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
 * Both lanes as one, best first, equal ones newest first. RRF is upstream's: a chunk that a lane
 * lacks takes the rank after that lane's last. A lane that is empty leaves the order to the other.
 */
export function fused(byText: TextMatch[], byVector: Near[], fusion: Fusion): Scored[] {
  const { vectorWeight } = fusion
  const bestText = byText[0]?.bm25 ?? 1
  const textRanks = new Map(byText.map(({ id }, i) => [id, i + 1]))
  const vectorRanks = new Map(byVector.map(({ id }, i) => [id, i + 1]))
  const textScores = new Map(byText.map(({ id, bm25 }) => [id, bm25 / bestText]))
  const vectorScores = new Map(byVector.map(({ id, cosine }) => [id, Math.max(0, cosine)]))
  const ids = [...new Set([...textRanks.keys(), ...vectorRanks.keys()])]
  const scored = ids.map((id) => {
    const textScore = textScores.get(id) ?? 0
    const vectorScore = vectorScores.get(id) ?? 0
    const [vector, text] = fusion.fusion === 'linear'
      ? [vectorScore, textScore]
      : [reciprocal(vectorRanks, id, fusion.rrfK), reciprocal(textRanks, id, fusion.rrfK)]
    const score = vectorWeight * vector + (1 - vectorWeight) * text
    return { id, score, vectorScore, textScore }
  })
  return scored.sort((a, b) => b.score - a.score || b.textScore - a.textScore || b.id - a.id)
}

function reciprocal(ranks: Map<number, number>, id: number, k: number): number {
  return 1 / (k + (ranks.get(id) ?? ranks.size + 1))
}
