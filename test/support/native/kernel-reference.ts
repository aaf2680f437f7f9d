import { expect } from 'bun:test'
import type { Kernels } from '../../../src/platform/kernels/kernels.ts'

type TopkCase = {
  query: Float32Array
  block: Float32Array
  dims: number
  k: number
  /** Every product and sum is exact in float32, so scores and order must equal the reference. */
  isExact?: boolean
}

/** Returns numbers between -1 and 1, the same for the same seed. */
export function randomBlock(length: number, { seed }: { seed: number }): Float32Array {
  let state = (seed + 1) * 2654435761
  return Float32Array.from({ length }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 31 - 1
  })
}

/** Returns a copy that starts `offset` numbers into its buffer, with NaN around it. */
export function offsetBlock(block: Float32Array, offset: number): Float32Array {
  const whole = new Float32Array(block.length + offset + 16).fill(NaN)
  const view = whole.subarray(offset, offset + block.length)
  view.set(block)
  return view
}

/**
 * Checks that scores are within the tolerance of float64, and that no clearly better row is
 * missing.
 */
export function checkTopk(kernels: Kernels, given: TopkCase): void {
  const { query, block, dims, k } = given
  const expected = rowsOf(block, dims).map((row) => exactDot(query, row))
  const { rows, scores } = kernels.topk(query, block, { dims, k })
  expect(rows.length).toBe(Math.min(k, expected.length))
  expect(scores.length).toBe(rows.length)
  expect(new Set(rows).size).toBe(rows.length)
  rows.forEach((row, rank) => expectNear(scores[rank]!, expected[row]!))
  expectOrdered(rows, scores)
  const ranked = expected.map((_, row) => row).sort((a, b) => expected[b]!.dot - expected[a]!.dot)
  ranked.slice(0, rows.length).forEach((row, rank) => {
    expectNear(scores[rank]!, { dot: expected[row]!.dot, slack: 2 * worstSlack(expected) })
    if (given.isExact) expect([rows[rank], scores[rank]]).toEqual([row, expected[row]!.dot])
  })
}

/**
 * Checks that each number is within one part in 2^22 of float64, and that zero rows are unchanged.
 */
export function checkNormalise(kernels: Kernels, block: Float32Array, dims: number): void {
  const expected = rowsOf(block, dims).flatMap((row) => {
    const norm = Math.hypot(...row)
    const isLength = norm > 0 && norm < Infinity && !row.some(Number.isNaN)
    return isLength ? [...row].map((value) => value / norm) : [...row]
  })
  kernels.normalise(block, dims)
  expect(block.length).toBe(expected.length)
  block.forEach((value, i) => {
    if (!Number.isFinite(expected[i])) expect(value).toBe(expected[i]!)
    else expectNear(value, { dot: expected[i]!, slack: Math.abs(expected[i]!) * 2 ** -22 })
  })
}

/**
 * Checks that each pair is within the tolerance of float64, and that the result is exactly
 * symmetric.
 */
export function checkPairwise(kernels: Kernels, block: Float32Array, dims: number): void {
  const rows = rowsOf(block, dims)
  const out = kernels.pairwise(block, dims)
  expect(out.length).toBe(rows.length ** 2)
  rows.forEach((a, i) => {
    rows.forEach((b, j) => {
      expectNear(out[i * rows.length + j]!, exactDot(a, b))
      expect(out[i * rows.length + j]).toBe(out[j * rows.length + i]!)
    })
  })
}

type Expected = { dot: number; slack: number }

function rowsOf(block: Float32Array, dims: number): Float32Array[] {
  const nRows = dims === 0 ? 0 : block.length / dims
  return Array.from({ length: nRows }, (_, i) => block.subarray(i * dims, (i + 1) * dims))
}

/**
 * The tolerance in native/README.md: dims + 1 roundings of 2^-24, and one of 2^-149 for each
 * product.
 */
function exactDot(a: Float32Array, b: Float32Array): Expected {
  let dot = 0
  let size = 0
  for (let i = 0; i < a.length; i++) {
    dot += a[i]! * b[i]!
    size += Math.abs(a[i]! * b[i]!)
  }
  return { dot, slack: (a.length + 1) * (2 ** -24 * size + 2 ** -149) }
}

function worstSlack(expected: Expected[]): number {
  return expected.reduce((worst, { slack }) => Math.max(worst, slack), 0)
}

function expectNear(value: number, { dot, slack }: Expected): void {
  if (!(Math.abs(value - dot) <= slack)) {
    throw new Error(`expected ${dot} within ${slack}, and it is ${value}`)
  }
}

function expectOrdered(rows: Int32Array, scores: Float32Array): void {
  for (let i = 1; i < rows.length; i++) {
    const isOrdered =
      scores[i - 1]! > scores[i]! || (scores[i - 1] === scores[i] && rows[i - 1]! < rows[i]!)
    if (!isOrdered) throw new Error(`hits ${i - 1} and ${i} are in the wrong order`)
  }
}
