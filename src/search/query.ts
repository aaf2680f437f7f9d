import type { Kernels } from '../platform/kernels/kernels.ts'

/** Parts of the ranking that can be switched off to measure their effect. */
export const ablations = ['exact', 'evidence', 'changelogs', 'api', 'repeats', 'copies'] as const
export type Ablation = (typeof ablations)[number]

export type RankingRequest = {
  text: string
  /** The single-lane modes are for measurements. */
  mode: 'hybrid' | 'full-text' | 'vector'
  /** Number of requested chunks. */
  limit: number
  kernels: Kernels
  /** True for a frequent English word, which is not corrected. The default is always false. */
  isEnglishWord?: ((word: string) => Promise<boolean>) | undefined
  without?: readonly Ablation[]
}
