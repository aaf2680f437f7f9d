import type { RecallFilter } from '../index/chunk-rows.ts'
import type { RelevanceFloor } from './floor.ts'
import type { Fusion } from './recall-fusion.ts'

/** Ranking settings; upstream's settings `search.*`. */
export type RecallSettings = Fusion & {
  /** Candidates of each lane: the requested hits times this factor. */
  candidateMultiplier: number
  /** How fast scores decay with the age of an entry: exp(−rate × days); 0 disables it. */
  temporalDecayRate: number
  /** 0 disables it; towards 1 favours relevance, towards 0 variety. */
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
  /** Number of hits to skip: the `nextOffset` of the previous page. */
  offset: number
  filter: RecallFilter
  settings: RecallSettings
  /** Excludes or labels less relevant hits; without it all are returned. */
  floor?: RelevanceFloor
  /** Recalls the entries that were valid on this day instead of those that are valid now. */
  asOf?: string
  /** The day from which ages are counted. */
  now: Date
}
