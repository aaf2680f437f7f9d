import type { RecallFilter } from '../index/chunk-rows.ts'
import type { Floor } from './floor.ts'
import type { Fusion } from './recall-fusion.ts'

/** How recall ranks; upstream's settings `search.*`, by their names there. */
export type RecallSettings = Fusion & {
  /** Candidates of each lane: hits asked for × this. */
  candidateMultiplier: number
  /** The rate by which scores fall with the age of an entry: exp(−rate × days); 0: off. */
  temporalDecayRate: number
  /** 0: off; towards 1 more relevance, towards 0 more variety. */
  mmrLambda: number
}

export const defaultRecallSettings: RecallSettings = {
  fusion: 'rrf',
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
  /** Hits to leave out at the front: the `nextOffset` of the page before. */
  offset: number
  filter: RecallFilter
  settings: RecallSettings
  /** Hits below it are left out; without it none is. */
  floor?: Floor
  /** The day that ages are counted from. */
  now: Date
}
