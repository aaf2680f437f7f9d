import { messageOf, OgError } from '../platform/error.ts'
import { openEncoder, type Encoder } from '../platform/kernels/encoder.ts'
import { goldenIds, isNearGolden } from './golden.ts'
import type * as Onnx from 'onnxruntime-node'
import { setNativeVariables } from '../platform/native/variables.ts'

/** Converts tokens to pooled hidden states, with og's own encoder or ONNX Runtime. */
export type Engine = {
  /** `native-int8` or `onnx-int8`. */
  arithmetic: string
  /** The instruction set, for display, or the reason why ONNX Runtime is used. */
  detail: string
  /** Maximum number of padded tokens in a run of several texts. One text may have more. */
  batchTokens: number
  /**
   * Returns one pooled row per text, not normalised. If `hurry` is set, returns rows only for the
   * first texts, at least one. Many texts are fastest if the longest come first.
   */
  run(texts: number[][]): Promise<Float32Array>
}

export type EngineOptions = {
  /** The path of ONNX Runtime's addon, or null. */
  bindingPath: string | null
  /** The path of the graph for ONNX Runtime, or null if there are only og's weights. */
  modelPath: string | null
  kernelsPath: string | null
  /** The path of the encoder's weights, with verified SHA-256. Null if this model has none. */
  encoderPath: string | null
  /** `auto` uses og's own encoder (`native`) if it works here, and otherwise ONNX Runtime. */
  engine: 'auto' | 'native' | 'onnx'
  dimensions: number
  pooling: 'cls' | 'mean'
  threads: number
  /** Number of callers that wait for the current run to end. Other threads change it. */
  hurry?: Int32Array<SharedArrayBuffer>
}

/** Opens the chosen engine. @throws OgError if it cannot be opened */
export async function openEngine(options: EngineOptions): Promise<Engine> {
  if (options.engine === 'onnx') return openOnnx(options, 'asked for')
  const native = openNative(options)
  if (typeof native !== 'string') return native
  if (options.engine === 'auto') return openOnnx(options, native)
  throw new OgError(`Cannot use the native encoder: ${native}`, {
    hint: 'set embeddings.engine (OG_EMBEDDER) to auto',
  })
}

/** Number of tokens, with padding, that a text of `length` tokens uses in a batch. */
export const paddedTokenCount = (length: number) => Math.ceil(length / 16) * 16

/** Opens og's own encoder, or returns the reason why it cannot be used. */
function openNative(options: EngineOptions): Engine | string {
  const { kernelsPath, encoderPath: weightsPath, threads, hurry } = options
  if (kernelsPath === null) return 'the kernels were not built'
  if (weightsPath === null) return 'there is no weight file for this model'
  try {
    const encoder = openEncoder({
      libraryPath: kernelsPath,
      weightsPath,
      threads,
      hurry,
      isVerified: true,
    })
    return whyUnfit(encoder, options) ?? nativeEngine(encoder)
  } catch (error) {
    return messageOf(error)
  }
}

/** Returns why the encoder cannot be used, or null. Its portable C code is too slow. */
function whyUnfit(encoder: Encoder, { engine, modelPath }: EngineOptions): string | null {
  if (encoder.isa === 'serial' && engine === 'auto' && modelPath !== null) {
    return 'this CPU has no products of bytes'
  }
  return isNearGolden(encoder.encode([goldenIds])) ? null : 'it fails its self-test on this CPU'
}

function nativeEngine(encoder: Encoder): Engine {
  return {
    arithmetic: 'native-int8',
    detail: encoder.isa,
    batchTokens: encoder.batchTokens,
    run: async (texts) => encoder.encode(texts),
  }
}

async function openOnnx(options: EngineOptions, why: string): Promise<Engine> {
  const { bindingPath, modelPath } = options
  if (bindingPath === null || modelPath === null) {
    throw new OgError(`Cannot use the native encoder: ${why}`, {
      hint: 'set embeddings.engine (OG_EMBEDDER) to onnx, which fetches the graph for ONNX Runtime',
    })
  }
  const session = await openOnnxSession({ ...options, bindingPath, modelPath })
  return {
    arithmetic: 'onnx-int8',
    detail: `ONNX Runtime (${why})`,
    // Run one text at a time: on few threads, the int8 graph is faster than with any padded batch.
    batchTokens: 0,
    run: async ([ids = []]) => session.encode(ids),
  }
}

type OnnxSession = {
  /** Returns the last hidden states of one text, pooled but not normalised. */
  encode(ids: number[]): Promise<Float32Array>
}

/**
 * Opens an encoder that was exported to ONNX: BERT, or one without token types such as ModernBERT.
 * Blocks the calling thread for 150 to 250 ms.
 */
export async function openOnnxSession(options: {
  bindingPath: string
  modelPath: string
  dimensions: number
  pooling: 'cls' | 'mean'
  threads: number
}): Promise<OnnxSession> {
  // The bundled onnxruntime-node reads this variable on import (scripts/build/build.ts). Set it
  // here, because a worker does not see the main thread's changes to its environment.
  process.env.OG_ONNXRUNTIME_BINDING = options.bindingPath
  setNativeVariables()
  const { InferenceSession, Tensor } = (await import('onnxruntime-node')) as typeof Onnx
  const session = await InferenceSession.create(options.modelPath, {
    intraOpNumThreads: options.threads,
    graphOptimizationLevel: 'all',
    // Input lengths vary, so an arena and memory patterns would only retain the largest size.
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
