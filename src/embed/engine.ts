import { messageOf, OgError } from '../platform/error.ts'
import { openEncoder, type Encoder } from '../platform/kernels/encoder.ts'
import { goldenIds } from './golden-reference.ts'
import { isNearGolden } from './golden.ts'
import { openOnnxSession } from './onnx-session.ts'

/** What turns tokens into hidden states: our encoder, or ONNX Runtime. */
export type Engine = {
  /** `native-int8` or `onnx-int8`. */
  arithmetic: string
  /** For people: the instruction set, or why the other engine serves. */
  detail: string
  /** Texts of one run have at most that many tokens (`tokensOf`), or are one text. */
  batchTokens: number
  /** One pooled row a text, not normalised. */
  run(texts: number[][]): Promise<Float32Array>
}

export type EngineOptions = {
  /** ONNX Runtime's addon; null where it is not here. */
  bindingPath: string | null
  /** The graph for ONNX Runtime; null where only our encoder's weights are here. */
  modelPath: string | null
  kernelsPath: string | null
  /** The weight file of our encoder; null where there is none for this model. */
  encoderPath: string | null
  /** `auto`: the encoder where it can serve, else ONNX Runtime. */
  engine: 'auto' | 'native' | 'onnx'
  dimensions: number
  pooling: 'cls' | 'mean'
  threads: number
}

/** @throws OgError where the engine that was asked for cannot be opened */
export async function openEngine(options: EngineOptions): Promise<Engine> {
  if (options.engine === 'onnx') return openOnnx(options, 'asked for')
  const native = openNative(options)
  if (typeof native !== 'string') return native
  if (options.engine === 'auto') return openOnnx(options, native)
  throw new OgError(`Cannot use the native encoder: ${native}`, {
    hint: 'set embeddings.engine (OG_EMBEDDER) to auto',
  })
}

/** Room that a text of `length` tokens takes in a batch. */
export const tokensOf = (length: number) => Math.ceil(length / 16) * 16

/** The encoder, or the sentence that says why it does not serve. */
function openNative(options: EngineOptions): Engine | string {
  const { kernelsPath, encoderPath, threads } = options
  if (kernelsPath === null) return 'the kernels were not built'
  if (encoderPath === null) return 'there is no weight file for this model'
  try {
    const encoder = openEncoder({ libraryPath: kernelsPath, weightsPath: encoderPath, threads })
    return unfitness(encoder, options) ?? nativeEngine(encoder)
  } catch (error) {
    return messageOf(error)
  }
}

/** null where the encoder serves; portable C would be slower than ONNX Runtime, where that is. */
function unfitness(encoder: Encoder, { engine, modelPath }: EngineOptions): string | null {
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
    // One text a run: for the int8 graph on few threads that is faster than any padded batch.
    batchTokens: 0,
    run: async ([ids = []]) => session.encode(ids),
  }
}
