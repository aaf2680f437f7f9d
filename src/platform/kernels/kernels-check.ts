import type { CheckResult } from '../check.ts'
import { openKernels, type Kernels } from './kernels.ts'

/**
 * Checks that the instruction set in use computes the same results as the JavaScript twin. Using
 * the twin itself is not a failure, because it is only slower.
 */
export function checkKernels(path: string | null): CheckResult {
  const kernels = openKernels(path)
  const twin = openKernels(null, { isa: 'js' })
  const difference = greatestDifference(kernels, twin)
  if (!(difference < 1e-4)) {
    return {
      ok: false,
      detail: `${kernels.isa}: answers differ from the JavaScript twin by ${difference}`,
      hint: 'please report it with the name of the CPU',
    }
  }
  if (kernels.fallbackReason === undefined) return { ok: true, detail: `${kernels.isa}, exact` }
  return {
    ok: true,
    detail: `JavaScript twins (slower): ${kernels.fallbackReason}`,
    hint: 'install a C compiler and build og again (npm run build)',
  }
}

const dims = 37

function greatestDifference(kernels: Kernels, twin: Kernels): number {
  const [mine, theirs] = [kernels, twin].map(answers) as [number[], number[]]
  return Math.max(...mine.map((x, i) => Math.abs(x - theirs[i]!)))
}

function answers(kernels: Kernels): number[] {
  const block = Float32Array.from({ length: 11 * dims }, (_, i) => Math.sin(i * i + 1))
  kernels.normalise(block, dims)
  const { rows, scores } = kernels.topk(block.slice(0, dims), block, { dims, k: 5 })
  return [...rows, ...scores, ...kernels.pairwise(block, dims)]
}
