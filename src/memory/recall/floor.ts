import { queryTerms, indexTermsOf } from '../../chunk/terms.ts'

/** The minimum relevance of returned entries; docs/internals/memory.md has the figures. */
export type RelevanceFloor = {
  /** Minimum cosine of a relevant entry; null accepts every entry that the embedder finds. */
  minCosine: number | null
  /** True if less relevant hits are returned with a label instead of being excluded. */
  keepsWeak?: boolean
}

/** Minimum text score, and minimum share of query terms, of a relevant entry. */
const minTextScore = 0.3

type ScoredEntry = {
  text: string
  heading: string
  tags: readonly string[]
  textScore: number
  vectorScore: number
  named: unknown
}

/**
 * Returns a relevance test for hits, because a search returns the best entries even if none is
 * relevant. A hit passes if it contains the queried name, contains enough query terms, or has a
 * high cosine. In a small memory every `textScore` is low, so the number of terms counts too.
 */
export function relevanceTest(
  query: string,
  { minCosine }: RelevanceFloor,
): (hit: ScoredEntry) => boolean {
  const queried = queryTerms(query, maxTerms)
  const isSaid = ({ text, heading, tags, textScore }: ScoredEntry) => {
    if (textScore >= minTextScore) return true
    if (textScore === 0) return false
    const held = new Set(indexTermsOf([heading, ...tags, text].join('\n')))
    return queried.filter((term) => held.has(term)).length >= minTextScore * queried.length
  }
  return (hit) =>
    hit.named !== null ||
    (hit.vectorScore > 0 && hit.vectorScore >= (minCosine ?? 0)) ||
    isSaid(hit)
}

const maxTerms = 64
