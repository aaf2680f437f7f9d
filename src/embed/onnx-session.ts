import type * as Onnx from 'onnxruntime-node'
import { setNativeVariable } from '../platform/native/variable.ts'

export type OnnxSession = {
  /** The last hidden state of token 0 (CLS pooling), not normalised. */
  firstToken(ids: number[]): Promise<Float32Array>
}

/** Opens a BERT encoder exported to ONNX. Blocks the calling thread for 150-250 ms. */
export async function openOnnxSession(options: {
  /** ONNX Runtime's addon. */
  bindingPath: string
  modelPath: string
  dimensions: number
  threads: number
}): Promise<OnnxSession> {
  // Read by the bundled onnxruntime-node when it is imported (scripts/build.ts); a worker does not
  // see what the main thread put into its environment.
  process.env.OG_ONNXRUNTIME_BINDING = options.bindingPath
  // Since 1.29 ONNX Runtime writes an id of the machine below ~/.cache/Microsoft and sends events
  // about each session to its makers. It looks here once, when it is loaded.
  setNativeVariable('ORT_DISABLE_TELEMETRY', '1')
  const { InferenceSession, Tensor } = (await import('onnxruntime-node')) as typeof Onnx
  const session = await InferenceSession.create(options.modelPath, {
    intraOpNumThreads: options.threads,
    graphOptimizationLevel: 'all',
    // Inputs differ in length from run to run: an arena and patterns would only keep the largest.
    enableMemPattern: false,
  })
  const outputName = session.outputNames[0] as string
  return {
    async firstToken(ids) {
      const shape = [1, ids.length]
      const tensor = (value: (id: number) => bigint) =>
        new Tensor('int64', BigInt64Array.from(ids, value), shape)
      const inputs = {
        input_ids: tensor((id) => BigInt(id)),
        attention_mask: tensor(() => 1n),
        token_type_ids: tensor(() => 0n),
      }
      const output = (await session.run(inputs))[outputName]!
      return (output.data as Float32Array).subarray(0, options.dimensions)
    },
  }
}
