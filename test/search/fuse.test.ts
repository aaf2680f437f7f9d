import { describe, expect, test } from 'bun:test'
import { shareAboveRest } from '../../src/search/fuse.ts'

const scored = (scores: readonly number[]) => scores.map((score) => ({ score }))

describe('a cosine is worth what it is above the rest', () => {
  function check(scores: number[], expected: number[]) {
    const share = shareAboveRest(scored(scores), { depth: 3, span: 0.5 })
    scores.forEach((score, i) => expect(share(score)).toBeCloseTo(expected[i]!, 6))
  }

  test('the rest begins at the depth', () => check([0.8, 0.7, 0.6, 0.5], [1, 0.5, 0, 0]))
  test('few candidates are measured by the span', () => check([0.8, 0.7], [1, 0.8]))
  test('so are those far below the best', () => check([0.8, 0.3, 0.1], [1, 0, 0]))
  test('a span as wide as the best leaves a true zero', () => {
    const share = shareAboveRest(scored([8, 4]), { depth: 3, span: 8 })
    expect([8, 4, 2].map(share)).toEqual([1, 0.5, 0.25])
  })
  test('equal ones are all best', () => check([0.8, 0.8, 0.8], [1, 1, 1]))
})
