import type { Kernels } from '../platform/kernels/kernels.ts'

/** Parts that can be left out, to measure what they are worth; copies are dropped after ranking. */
export const ablations = ['exact', 'evidence', 'changelogs', 'repeats', 'copies'] as const
export type Ablation = (typeof ablations)[number]

export type Query = {
  text: string
  /** One lane alone is for measuring the other. */
  mode: 'hybrid' | 'full-text' | 'vector'
  /** Chunks that are wanted. */
  limit: number
  kernels: Kernels
  without?: readonly Ablation[]
}
