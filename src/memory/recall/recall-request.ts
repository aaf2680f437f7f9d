import type { RecallFilter } from '../index/chunk-rows.ts'
import type { RelevanceFloor } from './floor.ts'
import type { Fusion } from './recall-fusion.ts'

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
