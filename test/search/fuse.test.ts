import { describe, expect, test } from 'bun:test'
import { toShare } from '../../src/search/fuse.ts'

const scored = (scores: readonly number[]) => scores.map((score) => ({ score }))

describe('shareAboveRest', () => {
  function check(scores: number[], expected: number[]) {
    const share = toShare(scored(scores), { depth: 3, span: 0.5 })
    scores.forEach((score, i) => expect(share(score)).toBeCloseTo(expected[i]!, 6))
  }

  test('maps the score at the given depth to 0', () => check([0.8, 0.7, 0.6, 0.5], [1, 0.5, 0, 0]))
  test('uses the span if there are few candidates', () => check([0.8, 0.7], [1, 0.8]))
  test('maps scores far below the best score to 0', () => check([0.8, 0.3, 0.1], [1, 0, 0]))
  test('keeps a true zero if the span equals the best score', () => {
    const share = toShare(scored([8, 4]), { depth: 3, span: 8 })
    expect([8, 4, 2].map(share)).toEqual([1, 0.5, 0.25])
  })
  test('maps equal scores to 1', () => check([0.8, 0.8, 0.8], [1, 1, 1]))
})
