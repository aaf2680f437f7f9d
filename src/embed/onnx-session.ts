import type * as Onnx from 'onnxruntime-node'
import { setNativeVariables } from '../platform/native/variables.ts'

type OnnxSession = {
  /** Returns the last hidden states of one text, pooled and not normalised. */
  encode(ids: number[]): Promise<Float32Array>
}

/**
 * Opens an encoder exported to ONNX: BERT, or one without token types, such as ModernBERT. Blocks
 * the calling thread for 150-250 ms.
 */
export async function openOnnxSession(options: {
  /** The path of ONNX Runtime's addon. */
  bindingPath: string
  modelPath: string
  dimensions: number
  pooling: 'cls' | 'mean'
  threads: number
}): Promise<OnnxSession> {
  // The bundled onnxruntime-node reads this variable when it is imported (scripts/build/build.ts).
  // It is set here, because a worker does not see changes that the main thread makes to its
  // environment.
  process.env.OG_ONNXRUNTIME_BINDING = options.bindingPath
  setNativeVariables()
  const { InferenceSession, Tensor } = (await import('onnxruntime-node')) as typeof Onnx
  const session = await InferenceSession.create(options.modelPath, {
    intraOpNumThreads: options.threads,
    graphOptimizationLevel: 'all',
    // Inputs differ in length from run to run, so an arena and memory patterns would only retain
    // the largest.
    enableMemPattern: false,
  })
  const outputName =
    session.outputNames.find((name) => name === 'last_hidden_state') ??
    (session.outputNames[0] as string)
  const { dimensions, pooling } = options
  return {
    async encode(ids) {
      const shape = [1, ids.length]
      const tensor = (value: (id: number) => bigint) =>
        new Tensor('int64', BigInt64Array.from(ids, value), shape)
      const tensors: Record<string, () => Onnx.Tensor> = {
        input_ids: () => tensor((id) => BigInt(id)),
        attention_mask: () => tensor(() => 1n),
        token_type_ids: () => tensor(() => 0n),
      }
      const inputs = Object.fromEntries(session.inputNames.map((name) => [name, tensors[name]!()]))
      const states = (await session.run(inputs))[outputName]!.data as Float32Array
      if (pooling === 'cls') return states.subarray(0, dimensions)
      return meanRow(states, dimensions)
    },
  }
}

function meanRow(states: Float32Array, dimensions: number): Float32Array {
  const sums = new Float64Array(dimensions)
  states.forEach((value, i) => (sums[i % dimensions]! += value))
  return Float32Array.from(sums, (sum) => (sum * dimensions) / states.length)
}
