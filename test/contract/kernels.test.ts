/**
 * Tests the contract of every kernel implementation, which native/README.md describes.
 */
import { describe, expect, test } from 'bun:test'
import { buildKernels } from '../../scripts/build/kernels.ts'
import { type Kernels, openKernels } from '../../src/platform/kernels/kernels.ts'
import {
  checkNormalise,
  checkPairwise,
  checkTopk,
  offsetBlock,
  randomBlock,
} from '../support/native/kernel-reference.ts'
import { testWhere } from '../support/where.ts'

const LENGTHS = Array.from({ length: 258 }, (_, dims) => dims)
const SIZES = [0, 1, 2, 3, 4, 5, 7, 8, 9]

const { path } = await buildKernels()

/** Returns null if this machine cannot run the instruction set. */
function kernelsFor(isa: string): Kernels | null {
  try {
    return path === null ? null : openKernels(path, { isa })
  } catch {
    return null
  }
}

const native = process.arch === 'arm64' ? ['serial', 'neon'] : ['serial', 'avx2', 'avx512']
for (const isa of [...native, 'js']) {
  const kernels = isa === 'js' ? openKernels(null) : kernelsFor(isa)
  const lack = path === null ? 'no C compiler has built the kernels' : `this CPU has no ${isa}`
  if (kernels !== null) describe(`kernels: ${isa}`, () => contract(kernels))
  else testWhere(lack)(`kernels: ${isa}`, () => {})
}

function contract(kernels: Kernels): void {
  describe('topk', () => topkContract(kernels))
  describe('topk with a compressed copy', () => topkContract(withCompression(kernels)))
  if (kernels.isa !== 'js') describe('compress', () => compressContract(kernels))
  describe('normalise', () => normaliseContract(kernels))
  describe('pairwise', () => pairwiseContract(kernels))
}

function topkContract(kernels: Kernels): void {
  test('agrees with float64 at every length', () => {
    for (const dims of LENGTHS) {
      const query = randomBlock(dims, { seed: dims })
      const block = randomBlock(dims * SIZES[dims % SIZES.length]!, { seed: dims + 1000 })
      checkTopk(kernels, { query, block, dims, k: 3 })
    }
  })

  test('agrees with float64 at every offset of query and block', () => {
    for (let offset = 0; offset < 17; offset++) {
      const query = offsetBlock(randomBlock(67, { seed: offset }), offset)
      const block = offsetBlock(randomBlock(67 * 9, { seed: offset + 50 }), (offset * 5) % 17)
      checkTopk(kernels, { query, block, dims: 67, k: 4 })
    }
  })

  test('reads nothing beyond a row or a block', () => {
    for (const dims of LENGTHS) {
      const whole = new Float32Array(dims * 6).fill(NaN)
      const block = whole.subarray(0, dims * 5).fill(1)
      const { scores } = kernels.topk(new Float32Array(dims).fill(1), block, { dims, k: 5 })
      expect([...scores]).toEqual(dims === 0 ? [] : Array(5).fill(dims))
    }
  })

  test('returns min(k, rows) for any k', () => {
    const query = randomBlock(24, { seed: 1 })
    const block = randomBlock(24 * 1000, { seed: 2 })
    for (const k of [0, 1, 2, 10, 255, 256, 257, 999, 1000, 1001, 100_000]) {
      checkTopk(kernels, { query, block, dims: 24, k })
    }
  })

  test('is exact if every sum is exact, and sorts ties by row', () => {
    const query = Float32Array.from({ length: 40 }, (_, i) => (i % 5) - 2)
    const block = Float32Array.from({ length: 40 * 300 }, (_, i) => ((i * i) % 7) - 3)
    checkTopk(kernels, { query, block, dims: 40, k: 300, isExact: true })
  })

  test('returns equal scores for equal rows at any position', () => {
    const row = randomBlock(133, { seed: 3 })
    const block = new Float32Array(133 * 523)
    for (let start = 0; start < block.length; start += 133) block.set(row, start)
    const query = randomBlock(133, { seed: 4 })
    const { rows, scores } = kernels.topk(query, block, { dims: 133, k: 523 })
    expect([...rows]).toEqual(Array.from({ length: 523 }, (_, i) => i))
    expect(new Set(scores).size).toBe(1)
  })

  test('sorts NaN after every number, including -Infinity, and several NaNs by row', () => {
    const order = [NaN, 1, -Infinity, Infinity, NaN, 0, -1, -Infinity]
    for (const dims of [1, 3, 8, 16, 31, 100]) {
      const block = new Float32Array(order.length * dims)
      order.forEach((value, row) => (block[(row + 1) * dims - 1] = value))
      const query = new Float32Array(dims).fill(1)
      for (let k = 1; k <= order.length; k++) {
        const { rows, scores } = kernels.topk(query, block, { dims, k })
        expect([...rows]).toEqual([3, 1, 5, 6, 2, 7, 0, 4].slice(0, k))
        expect([...scores]).toEqual([...rows].map((row) => order[row]!))
      }
    }
  })

  test('treats -0 and 0 as a tie', () => {
    const block = Float32Array.of(-0, 0, -0, 0)
    const { rows } = kernels.topk(Float32Array.of(1), block, { dims: 1, k: 4 })
    expect([...rows]).toEqual([0, 1, 2, 3])
  })

  test('returns NaN for infinity times zero, and for a sum of opposite infinities', () => {
    for (const dims of [2, 5, 16, 40, 257]) {
      const query = new Float32Array(dims).fill(1)
      const block = new Float32Array(dims * 2)
      query[0] = 0
      block[0] = Infinity
      block[dims + 1] = Infinity
      block[dims + dims - 1] = dims === 2 ? NaN : -Infinity
      const { rows, scores } = kernels.topk(query, block, { dims, k: 2 })
      expect([...rows]).toEqual([0, 1])
      expect([...scores]).toEqual([NaN, NaN])
    }
  })

  test('keeps denormal numbers', () => {
    const tiny = 2 ** -149
    for (const dims of [1, 5, 8, 17, 64]) {
      const query = new Float32Array(dims).fill(1)
      const block = new Float32Array(dims * 2).fill(tiny)
      block.fill(3 * tiny, dims)
      checkTopk(kernels, { query, block, dims, k: 2, isExact: true })
    }
  })
}

/** Returns kernels that compress every block before they search it. */
function withCompression(kernels: Kernels): Kernels {
  return {
    ...kernels,
    topk: (query, block, options) => {
      const compressed = kernels.compress(block, options.dims)
      return kernels.topk(query, block, { ...options, compressed })
    },
  }
}

function compressContract(kernels: Kernels): void {
  test('the compressed copy changes no bit of the result', () => {
    for (const dims of [1, 2, 3, 15, 16, 17, 31, 33, 63, 100, 257, 384, 4096]) {
      const nRows = dims > 1000 ? 350 : 700
      const block = randomBlock(dims * nRows, { seed: dims })
      // Rows of very different lengths, and nearly equal ones.
      for (let row = 0; row < nRows; row++) {
        const size = 10 ** (((row * 7) % 40) - 20)
        const like = row % 5 === 0 ? block.slice(0, dims) : null
        for (let i = 0; i < dims; i++) {
          const at = row * dims + i
          if (like === null) block[at]! *= row % 3 === 0 ? size : 1
          else block[at] = like[i]! * (1 + row / 1e6)
        }
      }
      if (dims > 2) {
        block[dims * 3 + 1] = NaN
        block[dims * 340 - 1] = Infinity
        block.fill(0, dims * 10, dims * 11)
      }
      for (const size of [1, 1e-18, 1e-30, 1e18]) {
        const query = randomBlock(dims, { seed: dims + 1 }).map((value) => value * size)
        for (const k of [1, 10, 300]) {
          const compressed = kernels.compress(block, dims)
          const result = kernels.topk(query, block, { dims, k, compressed })
          expect(result).toEqual(kernels.topk(query, block, { dims, k }))
        }
      }
    }
  })

  test('rejects the copy of a block with other dimensions', () => {
    const block = new Float32Array(128)
    const compressed = kernels.compress(block, 64)
    const search = () => kernels.topk(new Float32Array(32), block, { dims: 32, k: 1, compressed })
    expect(search).toThrow('Cannot search a compressed copy of 152 bytes: it is of other rows')
  })

  test('has no copy of rows with too many dimensions', () => {
    const dims = 4097
    expect(kernels.compress(new Float32Array(dims), dims)).toBeNull()
  })

  test('reads few rows of the block if the copy excludes the others', () => {
    const dims = 64
    const block = randomBlock(dims * 5000, { seed: 5 })
    kernels.normalise(block, dims)
    const compressed = kernels.compress(block, dims)
    if (compressed === null) return
    // The other rows would come first if they were read.
    const changed = block.slice().fill(100, dims)
    const { rows, scores } = kernels.topk(block.slice(0, dims), changed, { dims, k: 1, compressed })
    expect([...rows]).toEqual([0])
    expect(scores[0]).toBeCloseTo(1, 5)
  })
}

function normaliseContract(kernels: Kernels): void {
  test('agrees with float64 at every length', () => {
    for (const dims of LENGTHS) {
      checkNormalise(kernels, randomBlock(dims * SIZES[dims % SIZES.length]!, { seed: dims }), dims)
    }
  })

  test('agrees with float64 at every offset, and writes nothing outside the block', () => {
    for (let offset = 0; offset < 17; offset++) {
      const block = offsetBlock(randomBlock(67 * 3, { seed: offset }), offset)
      checkNormalise(kernels, block, 67)
      new Float32Array(block.buffer).forEach((value, i) => {
        if (isOutside(block, i)) expect(value).toBeNaN()
      })
    }
  })

  test('scales the largest and the smallest numbers equally well', () => {
    for (const size of [3e38, 1e30, 1e-30, 1e-40, 2 ** -149]) {
      for (const dims of [1, 7, 16, 33]) {
        checkNormalise(kernels, new Float32Array(dims * 2).fill(size), dims)
      }
    }
  })

  test('leaves rows of zeros and rows with NaN or infinity unchanged', () => {
    for (const dims of [1, 6, 16, 21, 40]) {
      for (const odd of [0, NaN, Infinity, -Infinity]) {
        const block = new Float32Array(dims * 3).fill(2)
        if (odd === 0) block.fill(0, dims, 2 * dims)
        block[2 * dims - 1] = odd
        checkNormalise(kernels, block, dims)
      }
    }
  })
}

/**
 * Returns true if the number at `index` of the buffer is outside the block, a view of the buffer.
 */
function isOutside(block: Float32Array, index: number): boolean {
  const start = block.byteOffset / 4
  return index < start || index >= start + block.length
}

function pairwiseContract(kernels: Kernels): void {
  test('agrees with float64 at every length', () => {
    for (const dims of LENGTHS) {
      checkPairwise(kernels, randomBlock(dims * SIZES[dims % SIZES.length]!, { seed: dims }), dims)
    }
  })

  test('agrees with float64 for every number of rows and at every offset', () => {
    for (let nRows = 0; nRows < 40; nRows++) {
      checkPairwise(kernels, offsetBlock(randomBlock(nRows * 19, { seed: nRows }), nRows % 17), 19)
    }
  })

  test('NaN and infinity affect only the pairs of rows that contain them', () => {
    const block = randomBlock(5 * 20, { seed: 9 })
    block[1 * 20 + 7] = NaN
    block[3 * 20 + 19] = Infinity
    const out = kernels.pairwise(block, 20)
    for (let i = 0; i < 25; i++) {
      const pair = [Math.floor(i / 5), i % 5]
      expect(Number.isNaN(out[i]!)).toBe(pair.includes(1))
      expect(Math.abs(out[i]!) === Infinity).toBe(pair.includes(3) && !pair.includes(1))
    }
  })
}
