import type { RecallFilter } from '../index/chunk-rows.ts'
import type { Fusion } from './recall-fusion.ts'
import { queryTerms, indexTermsOf } from '../../chunk/terms.ts'

/** Ranking settings; upstream calls them `search.*`. */
export type RecallSettings = Fusion & {
  candidateMultiplier: number
  /** How fast scores decay with the age of an entry: exp(−rate × days); 0 disables the decay. */
  temporalDecayRate: number
  /** 0 disables diversity ranking; values near 1 favour relevance, values near 0 variety. */
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
  /** Recalls the entries that were valid on this day instead of those valid now. */
  asOf?: string
  /** The day from which ages are measured. */
  now: Date
}

/** The minimum relevance of returned entries; docs/internals/memory.md has the figures. */
type RelevanceFloor = {
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
