import type { Confidence } from '../../search/confidence.ts'
import type { SearchAnswer } from './search.ts'

/** The line above the hits of a weak answer. */
export const weakSentence = 'No passage is clearly about this; nearest:'

/** The confidence of an answer as every face reports it; weak if there are no hits. */
export function confidenceOf({
  hits,
  doubt,
  confidence,
}: Pick<SearchAnswer, 'hits' | 'doubt' | 'confidence'>): Confidence {
  return doubt !== null || hits.length === 0 ? 'weak' : (confidence ?? 'high')
}
