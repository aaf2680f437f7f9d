/**
 * Calls native code repeatedly with arrays that have no other reference: `collected.ts LIBRARY
 * WEIGHTS`. Prints how many rounds failed or computed results that differ from the first round.
 */
import { openEncoder } from '../../../src/platform/kernels/encoder.ts'
import { openKernels } from '../../../src/platform/kernels/kernels.ts'

const [libraryPath, weightsPath] = process.argv.slice(2) as [string, string]

function round(): string {
  using encoder = openEncoder({ libraryPath, weightsPath, threads: 1 })
  const block = encoder.encode([
    [1, 2, 3],
    [4, 5],
    [6, 7, 8, 9],
  ])
  const kernels = openKernels(libraryPath)
  kernels.normalise(block, encoder.dimensions)
  const pairs = kernels.pairwise(block.slice(), encoder.dimensions)
  const query = block.slice(0, encoder.dimensions)
  const best = kernels.topk(query, block.slice(), { dims: encoder.dimensions, k: 2 })
  const results = [block, pairs, best.rows, best.scores]
  return results.map((array) => [...new Uint32Array(array.buffer)].join(' ')).join()
}

let [wanted, failed] = ['', 0]
for (let i = 0; i < 20; i++) {
  try {
    const found = round()
    wanted ||= found
    if (found !== wanted) failed++
  } catch (error) {
    process.stderr.write(`${String(error)}\n`)
    failed++
  }
}
console.log(failed)
