import { expect, test } from 'bun:test'
import { diversify } from '../../../src/memory/recall/recall.ts'

/** Items as name and score. The similarity of two items is 1 if their first letters are equal. */
function check(items: [string, number][], lambda: number, expected: string[]): void {
  const picked = diversify(
    items.map(([name, score]) => ({ name, score })),
    { lambda, limit: expected.length, nearness: (a, b) => (a.name[0] === b.name[0] ? 1 : 0) },
  )
  expect(picked.map(({ name }) => name)).toEqual(expected)
}

test('moves a near copy behind a different item', () => {
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

test('lambda 1 sorts by relevance only', () => {
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

test('weakness 24: scales small scores to the range of similarity', () => {
  // With RRF scores and lambda 0.9, a near copy still comes before a bad item.
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

test('returns all items if there are fewer than requested', () => {
  check([['a1', 0.9]], 0.5, ['a1'])
  check([], 0.5, [])
})
