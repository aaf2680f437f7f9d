import type { RecallFilter } from '../index/chunk-rows.ts'
import type { Fusion } from './recall-fusion.ts'
import { queryTerms, indexTermsOf } from '../../chunk/terms.ts'

/** Ranking settings; upstream calls them `search.*`. */
export type RecallSettings = Fusion & {
  candidateMultiplier: number
  /** Scores are multiplied by exp(−rate × age in days); 0 disables the decay. */
  temporalDecayRate: number
  /** 0 disables diversity ranking. Values near 1 favour relevance, values near 0 favour variety. */
  mmrLambda: number
}

export const defaultRecallSettings: RecallSettings = {
  fusion: 'linear',
  vectorWeight: 0.7,
  rrfK: 60,
  candidateMultiplier: 4,
  temporalDecayRate: 0,
  mmrLambda: 0,
}

export type RecallRequest = {
  query: string
  mode: 'hybrid' | 'full-text' | 'vector'
  limit: number
  offset: number
  filter: RecallFilter
  settings: RecallSettings
  floor?: RelevanceFloor
  /** Recalls the entries that were valid on this day instead of the currently valid ones. */
  asOf?: string
  now: Date
}

/** The minimum relevance of hits. docs/internals/memory.md explains the values. */
type RelevanceFloor = {
  /** Minimum cosine of a relevant entry; null accepts every cosine. */
  minCosine: number | null
  /** True if less relevant hits are labelled weak instead of being excluded. */
  keepsWeak?: boolean
}

/** Minimum text score and minimum share of query terms. */
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
 * high cosine. The share of terms is needed in a small memory, where every `textScore` is low.
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
