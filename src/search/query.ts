import type { Kernels } from '../platform/kernels/kernels.ts'

/**
 * Parts of the ranking that can be switched off to measure their effect. Copies are dropped after
 * ranking.
 */
export const ablations = ['exact', 'evidence', 'changelogs', 'api', 'repeats', 'copies'] as const
export type Ablation = (typeof ablations)[number]

export type RankingRequest = {
  text: string
  /** The single-lane modes exist to measure each lane. */
  mode: 'hybrid' | 'full-text' | 'vector'
  /** Number of chunks requested. */
  limit: number
  kernels: Kernels
  /** Whether a word is frequent in English, so that it is no typing error; by default, none is. */
  isEnglishWord?: ((word: string) => Promise<boolean>) | undefined
  without?: readonly Ablation[]
}
