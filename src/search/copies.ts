import type { Kernels } from '../platform/kernels.ts'

/** Above this cosine two passages say the same in the same words, under the same headings. */
const copyCosine = 0.99

/**
 * Which of these embeddings are no near-copy of an earlier one: row numbers, ascending. `block` is
 * row-major, rows × `dims`, L2-normalised, best hit first.
 */
export function distinctRows(kernels: Kernels, block: Float32Array, dims: number): number[] {
  const rows = block.length / dims
  const cosines = kernels.pairwise(block, dims)
  const distinct: number[] = []
  for (let row = 0; row < rows; row++) {
    const isCopy = distinct.some((kept) => cosines[row * rows + kept]! > copyCosine)
    if (!isCopy) distinct.push(row)
  }
  return distinct
}
