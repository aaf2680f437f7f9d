import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { jsNormalise, jsPairwise, jsTopk } from '../../../src/platform/kernels/kernels.ts'

const floats = (...values: number[]) => Float32Array.from(values)

/** Checks the best rows as `row:score`; each row is a single number. */
function check(block: number[], k: number, expected: string[]) {
  const { rows, scores } = jsTopk(floats(1), floats(...block), { dims: 1, k })
  expect([...rows].map((row, i) => `${row}:${scores[i]}`)).toEqual(expected)
}

test('returns the best rows first, and breaks ties by row', () => {
  check([1, 3, 2], 3, ['1:3', '2:2', '0:1'])
  check([2, 2, 2, 1], 2, ['0:2', '1:2'])
  check([1, 2, 1, 2, 1], 4, ['1:2', '3:2', '0:1', '2:1'])
  check([-1, -3, 0], 2, ['2:0', '0:-1'])
})

test('returns all rows for a large k, and none for 0', () => {
  check([1], 9, ['0:1'])
  check([], 3, [])
  check([1, 2], 0, [])
})

test('puts NaN after all numbers', () => {
  check([NaN, 1, NaN, -Infinity, Infinity], 5, [
    '4:Infinity',
    '1:1',
    '3:-Infinity',
    '0:NaN',
    '2:NaN',
  ])
  check([NaN, NaN, 1], 2, ['2:1', '0:NaN'])
})

test('ranks rows by the float32 scores that it returns', () => {
  // 1 + 2^-30 is 1 in float32, so the rows tie and the first row comes first.
  const block = floats(1, 0, 1, 2 ** -30)
  const { rows, scores } = jsTopk(floats(1, 1), block, { dims: 2, k: 2 })
  expect([[...rows], [...scores]]).toEqual([
    [0, 1],
    [1, 1],
  ])
})

test('returns the same rows as a full sort, for any rows', () => {
  const value = fc.constantFrom(0, 1, 2, -1, 0.5, NaN)
  fc.assert(
    fc.property(fc.array(value, { maxLength: 60 }), fc.nat(70), (block, k) => {
      const order = block
        .map((score, row) => ({ score, row }))
        .sort(
          (a, b) =>
            Number(Number.isNaN(a.score)) - Number(Number.isNaN(b.score)) ||
            b.score - a.score ||
            0 ||
            a.row - b.row,
        )
      check(
        block,
        k,
        order.slice(0, k).map(({ score, row }) => `${row}:${score}`),
      )
    }),
  )
})

test('uses every number of a row, for any length', () => {
  for (let dims = 1; dims <= 11; dims++) {
    const row = Float32Array.from({ length: dims }, (_, i) => 2 ** i)
    const ones = new Float32Array(dims).fill(1)
    const block = floats(...ones.fill(0), ...row)
    const { rows, scores } = jsTopk(ones.fill(1), block, { dims, k: 1 })
    expect([rows[0], scores[0]]).toEqual([1, 2 ** dims - 1])
  }
})

test('scales each row to length 1, except rows whose length is zero or not a number', () => {
  const block = floats(3, 4, 0, 0, NaN, 1, Infinity, 1, -5, 0)
  jsNormalise(block, 2)
  expect([...block.subarray(0, 2)]).toEqual([...floats(0.6, 0.8)])
  expect([...block.subarray(2)]).toEqual([0, 0, NaN, 1, Infinity, 1, -1, 0])
})

test('computes the products of all pairs of rows', () => {
  expect([...jsPairwise(floats(1, 0, 3, 4, 0, 2), 2)]).toEqual([1, 3, 0, 3, 25, 8, 0, 8, 4])
  expect([...jsPairwise(floats(), 2)]).toEqual([])
})
