import type { Doubt } from './doubt.ts'

/** Stands above the hits of a weak answer. */
export const weakSentence = 'No passage is clearly about this; nearest:'

type Judged = { hits: readonly unknown[]; doubt: Doubt | null }

/** How sure an answer is, as every face says it; without hits it is weak. */
export function confidenceOf({ hits, doubt }: Judged): 'high' | 'weak' {
  return doubt === null && hits.length > 0 ? 'high' : 'weak'
}
