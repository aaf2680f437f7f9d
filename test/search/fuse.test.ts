import { describe, expect, test } from 'bun:test'
import {
  addPageEvidence,
  shareAboveRest,
  spreadPages,
} from '../../src/search/fuse.ts'

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

/** Chunks named by page and number. */
function chunksOf(scores: Record<string, number>) {
  const why = { evidence: 0, repeated: 1 }
  return Object.entries(scores).map(([name, score]) => ({ name, score, why: { ...why } }))
}

const page = ({ name }: { name: string }) => name[0]!

describe('a page is known by its chunks', () => {
  function check(before: Record<string, number>, after: Record<string, number>) {
    const chunks = chunksOf(before)
    addPageEvidence(chunks, { page, shares: [0.5, 0.25] })
    expect(Object.fromEntries(chunks.map(({ name, score }) => [name, score]))).toEqual(after)
    for (const { name, score, why } of chunks) expect(score - why.evidence).toBe(before[name]!)
  }

  test('its best chunk gains a share of the next ones, no more than there are shares', () => {
    check({ a1: 10, b1: 9, b2: 8, b3: 4, b4: 4 }, { a1: 10, b1: 14, b2: 8, b3: 4, b4: 4 })
  })
  test('what is worth less than nothing takes nothing away', () => {
    check({ a1: 2, a2: -1 }, { a1: 2, a2: -1 })
  })
  test('one chunk a page changes nothing', () => check({ a1: 2, b1: 1 }, { a1: 2, b1: 1 }))
  test('nobody has nothing', () => check({}, {}))
})

describe('each further chunk of a page counts less', () => {
  function check(before: Record<string, number>, after: Record<string, number>) {
    const chunks = chunksOf(before)
    spreadPages(chunks, { page, factor: 0.5 })
    expect(Object.fromEntries(chunks.map(({ name, score }) => [name, score]))).toEqual(after)
    for (const { name, score, why } of chunks) expect(before[name]! * why.repeated).toBe(score)
  }

  test('by its place', () => check({ a1: 8, a2: 8, b1: 6, a3: 4 }, { a1: 8, a2: 4, b1: 6, a3: 1 }))
  test('unless it is worth nothing', () => check({ a1: 8, a2: -8 }, { a1: 8, a2: -8 }))
})
