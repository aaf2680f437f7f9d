import { expect, test } from 'bun:test'
import { openKernels } from '../../src/platform/kernels/kernels.ts'
import { groupCopies } from '../../src/search/group.ts'

const kernels = openKernels(null, { isa: 'js' })

function check(rows: number[][], expected: number[][]): void {
  const dims = rows[0]!.length
  const block = new Float32Array(rows.flat())
  kernels.normalise(block, dims)
  expect(groupCopies(kernels, block, { dims })).toEqual(expected)
}

test('groups near-copies under the first one', () => {
  check(
    [
      [1, 0],
      [0, 1],
      [1, 0.001],
      [0.01, 1],
      [1, 1],
    ],
    [[0, 2], [1, 3], [4]],
  )
})

test('does not group rows that are merely similar', () => {
  check(
    [
      [1, 0],
      [1, 0.2],
    ],
    [[0], [1]],
  )
})

test('compares copies with the first row of a group, not with each other', () => {
  check(
    [
      [1, 0],
      [1, 0.1],
      [1, 0.2],
    ],
    [[0, 1], [2]],
  )
})

test('groups similar symbols of one name, and no others', () => {
  const block = new Float32Array([1, 0, 1, 0.3, 1, 0.31])
  kernels.normalise(block, 2)
  const names = ['string', 'string', 'number']
  expect(groupCopies(kernels, block, { dims: 2, names })).toEqual([[0, 1], [2]])
  expect(groupCopies(kernels, block, { dims: 2, names: ['string', undefined] })[0]).toEqual([0])
})
