/**
 * Prints the results of the native library as JSON, with the instruction sets in use. Arguments:
 * the library and a weight file.
 */
import { openEncoder } from '../../../../src/platform/kernels/encoder.ts'
import { openKernels } from '../../../../src/platform/kernels/kernels.ts'

const [libraryPath, weightsPath] = process.argv.slice(2) as [string, string]
const kernels = openKernels(libraryPath)
const dims = 19
const block = Float32Array.from({ length: 7 * dims }, (_, i) => Math.sin(i * i + 1))
kernels.normalise(block, dims)
const { rows, scores } = kernels.topk(block.slice(dims, 2 * dims), block, { dims, k: 3 })
using encoder = openEncoder({ libraryPath, weightsPath, threads: 2 })
const texts = [
  [1, 2, 3],
  [4, 5],
]
console.log(
  JSON.stringify({
    isa: [kernels.isa, encoder.isa],
    sizes: [encoder.dimensions, encoder.maxTokens, encoder.batchTokens],
    topk: [[...rows], [...scores]],
    pairwise: [...kernels.pairwise(block, dims)],
    rows: [...encoder.encode(texts)],
    refusals: [
      ['mmx', weightsPath],
      ['', '/nonexistent'],
    ].map(([isa, path]) => {
      try {
        return openEncoder({ libraryPath, weightsPath: path!, threads: 1, isa: isa! }).isa
      } catch (error) {
        return String(error)
      }
    }),
  }),
)
