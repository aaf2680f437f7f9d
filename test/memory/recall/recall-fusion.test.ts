import { expect, test } from 'bun:test'
import { fuse, type Fusion } from '../../../src/memory/recall/recall-fusion.ts'

const rrf: Fusion = { fusion: 'rrf', vectorWeight: 0.7, rrfK: 60 }
const linear: Fusion = { fusion: 'linear', vectorWeight: 0.5, rrfK: 60 }
type Text = Parameters<typeof fuse>[0]
type Near = Parameters<typeof fuse>[1]

const text = (...found: [number, number][]) =>
  found.map(([id, coverage]) => ({ id, coverage })) as Text
const near = (...found: [number, number][]) => found.map(([id, cosine]) => ({ id, cosine })) as Near

function check(byText: Text, byVector: Near, { fusion, ids }: { fusion: Fusion; ids: number[] }) {
  expect(fuse(byText, byVector, fusion).map(({ id }) => id)).toEqual(ids)
}

test('ranks hits of both lanes above hits of one', () => {
  check(text([1, 1], [2, 1]), near([2, 0.9], [3, 0.8]), { fusion: rrf, ids: [2, 1, 3] })
})

test('weights one chance word little and all words fully', () => {
  check(text([1, 0.2]), near([2, 0.9]), { fusion: rrf, ids: [2, 1] })
  check(text([1, 1]), near([2, 0.9]), { fusion: rrf, ids: [1, 2] })
})

test('linear: scales cosines to the range of the candidates', () => {
  const [first, last] = fuse([], near([1, 0.52], [2, 0.5]), linear)
  expect([first!.score, last!.score]).toEqual([0.5, 0])
  expect(fuse(text([1, 0.5]), [], linear)[0]!.score).toBeCloseTo(0.125, 10)
})

test('sorts ties newest first, and keeps the order of a single lane', () => {
  check(text([4, 1], [4, 1]), [], { fusion: linear, ids: [4] })
  check(text([3, 1], [7, 1], [5, 1]), [], { fusion: linear, ids: [7, 5, 3] })
  expect(fuse([], [], rrf)).toEqual([])
  expect(fuse(text([1, 0.5]), near([1, 0.4]), rrf)[0]).toMatchObject({
    id: 1,
    textScore: 0.5,
    vectorScore: 0.4,
  })
})
