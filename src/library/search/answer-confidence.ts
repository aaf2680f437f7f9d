import type { Confidence } from '../../search/confidence.ts'
import type { SearchAnswer } from './search.ts'

export const weakSentence = 'No passage is clearly about this; nearest:'

/**
 * Returns the confidence of an answer, in the same form for every interface; weak if there are no
 * hits.
 */
export function confidenceOf({
  hits,
  doubt,
  confidence,
}: Pick<SearchAnswer, 'hits' | 'doubt' | 'confidence'>): Confidence {
  return doubt !== null || hits.length === 0 ? 'weak' : (confidence ?? 'high')
}
