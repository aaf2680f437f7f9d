import { expect, test } from 'bun:test'
import {
  fuse,
  inverseNeighbours,
  type Fusion,
  type RecallLanes,
  withNeighbours,
} from '../../../src/memory/recall/recall-fusion.ts'

const rrf: Fusion = { fusion: 'rrf', vectorWeight: 0.7, rrfK: 60 }
const linear: Fusion = { fusion: 'linear', vectorWeight: 0.5, rrfK: 60 }
type Text = RecallLanes['byText']
type Near = RecallLanes['byVector']

const text = (...found: [number, number][]): Text =>
  found.map(([id, coverage]) => ({ id, coverage }))
const near = (...found: [number, number][]): Near => found.map(([id, cosine]) => ({ id, cosine }))
const lanes = (byText: Text, byVector: Near, ...cosines: [number, number][]): RecallLanes => ({
  byText,
  byVector,
  cosines: new Map(cosines),
})

function check(byText: Text, byVector: Near, { fusion, ids }: { fusion: Fusion; ids: number[] }) {
  expect(fuse(lanes(byText, byVector), fusion).map(({ id }) => id)).toEqual(ids)
}

test('ranks hits of both lanes above hits of one lane', () => {
  check(text([1, 1], [2, 1]), near([2, 0.9], [3, 0.8]), { fusion: rrf, ids: [2, 1, 3] })
})

test('gives one chance word a low weight and all words the full weight', () => {
  check(text([1, 0.2]), near([2, 0.9]), { fusion: rrf, ids: [2, 1] })
  check(text([1, 1]), near([2, 0.9]), { fusion: rrf, ids: [1, 2] })
})

test('linear: adds the cosine and three times the cubed coverage', () => {
  const scores = (given: RecallLanes) => fuse(given, linear).map(({ id, score }) => [id, score])
  const byText = text([1, 0.5], [3, 0.1])
  expect(scores(lanes(byText, near([2, 0.6], [4, 0.4]), [1, 0.3]))).toEqual([
    [1, expect.closeTo(0.15 + 0.1875, 10)],
    [2, 0.3],
    // Chunk 3 has no embedding, so it counts as near as the farthest candidate.
    [3, expect.closeTo(0.2015, 10)],
    [4, 0.2],
  ])
})

test('raises the score of a chunk next to a good one, by the better side and less at a distance', () => {
  const scored = [8, 1, 6, 2, 2].map((score, i) => ({ id: i, score, vectorScore: 0, textScore: 0 }))
  const beside = new Map([
    [1, { before: [0], after: [2, 3] }],
    [3, { before: [2, 1], after: [4] }],
  ])
  const lifted = withNeighbours(scored, beside)
  expect(lifted.map(({ id, score }) => [id, Number(score.toFixed(2))])).toEqual([
    [0, 8],
    [2, 6],
    [3, 3.24],
    [1, 2.68],
    [4, 2],
  ])
})

test('derives the neighbours of added chunks from the other chunks', () => {
  const neighbours = new Map([
    [5, { before: [4, 3], after: [6] }],
    [7, { before: [6, 5], after: [] }],
  ])
  const inverse = inverseNeighbours(neighbours, (id) => id !== 5)
  expect([...inverse.keys()]).toEqual([4, 3, 6])
  expect(inverse.get(6)).toEqual({ before: [5], after: [7] })
  expect(inverse.get(3)!.after[1]).toBe(5)
})

test('sorts vector ties newest first, and keeps the order of full-text ties', () => {
  check(text([4, 1], [4, 1]), [], { fusion: linear, ids: [4] })
  check(text([3, 1], [7, 1], [5, 1]), [], { fusion: linear, ids: [3, 7, 5] })
  check([], near([3, 1], [7, 1], [5, 1]), { fusion: linear, ids: [7, 5, 3] })
  expect(fuse(lanes([], []), rrf)).toEqual([])
  expect(fuse(lanes(text([1, 0.5]), near([1, 0.4])), rrf)[0]).toMatchObject({
    id: 1,
    textScore: 0.5,
    vectorScore: 0.4,
  })
})
