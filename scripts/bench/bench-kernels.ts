import { buildKernels } from '../build/kernels.ts'
import { OgError } from '../../src/platform/error.ts'
import { type Kernels, openKernels } from '../../src/platform/kernels/kernels.ts'

/**
 * A line of the report. `ratio` is the number of rows per second relative to the TypeScript twin.
 */
export type BenchLine = {
  kernel: string
  nRows: number
  dims: number
  isa: string
  rowsPerSecond: number
  ratio: number
}

/**
 * Times every kernel with each instruction set that this machine supports, and its TypeScript twin.
 */
export async function benchKernels(): Promise<BenchLine[]> {
  const { path } = await buildKernels()
  const all = [openKernels(null), ...(path === null ? [] : nativeKernels(path))]
  return cases().flatMap((work) => {
    const lines = all.map((kernels) => benchOne(kernels, work))
    const twin = lines[0]!.rowsPerSecond
    return lines.map((line) => ({ ...line, ratio: round(line.rowsPerSecond / twin) }))
  })
}

const DIMS = 384

type Work = { kernel: string; nRows: number; run(kernels: Kernels): void }

function cases(): Work[] {
  return [
    ...[1_000, 10_000, 100_000].map(topkCase),
    ...[1, 50, 10_000].map(normaliseCase),
    ...[10, 50, 500].map(pairwiseCase),
  ]
}

function topkCase(nRows: number): Work {
  const block = randomBlock(nRows)
  const query = randomBlock(1)
  const options = { dims: DIMS, k: 10 }
  return { kernel: 'topk', nRows, run: (kernels) => kernels.topk(query, block, options) }
}

function normaliseCase(nRows: number): Work {
  const block = randomBlock(nRows)
  return { kernel: 'normalise', nRows, run: (kernels) => kernels.normalise(block, DIMS) }
}

function pairwiseCase(nRows: number): Work {
  const block = randomBlock(nRows)
  return { kernel: 'pairwise', nRows, run: (kernels) => kernels.pairwise(block, DIMS) }
}

function randomBlock(nRows: number): Float32Array {
  return Float32Array.from({ length: nRows * DIMS }, () => Math.random() - 0.5)
}

function nativeKernels(path: string): Kernels[] {
  return ['serial', 'avx2', 'avx512', 'neon'].flatMap((isa) => {
    try {
      return [openKernels(path, { isa })]
    } catch (error) {
      if (error instanceof OgError) return []
      throw error
    }
  })
}

/**
 * Returns the median of seven rounds after a warm-up; each round repeats the call for about 30 ms.
 */
function benchOne(kernels: Kernels, { kernel, nRows, run }: Work): BenchLine {
  const nCalls = Math.max(1, Math.floor(30 / elapsedMs(() => run(kernels), 3)))
  elapsedMs(() => run(kernels), nCalls)
  const rounds = Array.from({ length: 7 }, () => elapsedMs(() => run(kernels), nCalls))
  const callMs = rounds.sort((a, b) => a - b)[3]!
  const rowsPerSecond = Math.round((nRows / callMs) * 1000)
  return { kernel, nRows, dims: DIMS, isa: kernels.isa, rowsPerSecond, ratio: 1 }
}

/** Returns the milliseconds per call. */
function elapsedMs(run: () => void, nCalls: number): number {
  const start = performance.now()
  for (let i = 0; i < nCalls; i++) run()
  return (performance.now() - start) / nCalls
}

function round(value: number): number {
  return Math.round(value * 100) / 100
}

if (import.meta.main) {
  const lines = await benchKernels()
  console.log(`[\n${lines.map((line) => `  ${JSON.stringify(line)}`).join(',\n')}\n]`)
}
