import type { Doubt } from './doubt.ts'

/** The line above the hits of a weak answer. */
export const weakSentence = 'No passage is clearly about this; nearest:'

type Judged = { hits: readonly unknown[]; doubt: Doubt | null }

/** Returns how sure an answer is; without hits it is weak. */
export function confidenceOf({ hits, doubt }: Judged): 'high' | 'weak' {
  return doubt === null && hits.length > 0 ? 'high' : 'weak'
}
