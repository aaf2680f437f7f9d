import { expect, test } from 'bun:test'
import { diversified } from '../../../src/memory/recall/mmr.ts'

/** Items by name with their score; nearness of two is 1 where their first letter is the same. */
function check(items: [string, number][], lambda: number, expected: string[]): void {
  const picked = diversified(
    items.map(([name, score]) => ({ name, score })),
    { lambda, limit: expected.length, nearness: (a, b) => (a.name[0] === b.name[0] ? 1 : 0) },
  )
  expect(picked.map(({ name }) => name)).toEqual(expected)
}

test('a near copy of what is picked comes later', () => {
  check(
    [
      ['a1', 0.9],
      ['a2', 0.8],
      ['b1', 0.5],
    ],
    0.5,
    ['a1', 'b1', 'a2'],
  )
})

test('lambda 1 is relevance alone', () => {
  check(
    [
      ['a1', 0.9],
      ['a2', 0.8],
      ['b1', 0.5],
    ],
    1,
    ['a1', 'a2', 'b1'],
  )
})

test('weakness 24: small scores are on the same scale as nearness', () => {
  // RRF scores: with 0.9 a copy that is nearly as good still goes before something bad.
  check(
    [
      ['a1', 0.0164],
      ['a2', 0.0161],
      ['b1', 0.009],
    ],
    0.9,
    ['a1', 'a2', 'b1'],
  )
})

test('fewer items than asked for, and none', () => {
  check([['a1', 0.9]], 0.5, ['a1'])
  check([], 0.5, [])
})
