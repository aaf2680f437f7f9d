import type { Kernels } from '../platform/kernels/kernels.ts'

/** Above this cosine two passages say the same in the same words, under the same headings. */
const copyCosine = 0.99

/**
 * The rows of `block` in groups: a row, then those after it that are near-copies of it. Rows are
 * ordered best hit first. `block` is row-major, rows × `dims`, L2-normalised.
 */
export function withCopies(kernels: Kernels, block: Float32Array, dims: number): number[][] {
  const rows = block.length / dims
  const cosines = kernels.pairwise(block, dims)
  const groups: number[][] = []
  for (let row = 0; row < rows; row++) {
    const own = groups.find(([kept]) => cosines[kept! * rows + row]! > copyCosine)
    if (own) own.push(row)
    else groups.push([row])
  }
  return groups
}
