import type { Pointer } from 'bun:ffi'
import { OgError } from '../error.ts'
import { openOwnLibrary } from '../native/ffi.ts'

/** The embedding model of native/encoder.h, with weights from one file. */
export type Encoder = Disposable & {
  /** The instruction set in use; `serial` is portable C. */
  isa: string
  dimensions: number
  maxTokens: number
  /** Maximum number of tokens per call, with text lengths rounded up to multiples of 16. */
  batchTokens: number
  /**
   * Returns one row per text, pooled but not normalised. Blocks the thread. If `hurry` is not zero,
   * may return early with the rows of at least the first text. Many texts are fastest if the
   * longest come first.
   */
  encode(texts: number[][]): Float32Array<ArrayBuffer>
}

/**
 * Opens the weight file. This takes milliseconds because the file is mapped into memory.
 * @throws OgError if the file is incomplete or this CPU cannot run the encoder
 */
export function openEncoder(options: {
  libraryPath: string
  weightsPath: string
  threads: number
  /** True if the file's SHA-256 has been verified. The encoder then skips its own checksum. */
  isVerified?: boolean
  /** Forces an instruction set. The default is the best one that this CPU supports. */
  isa?: string
  /** Number of callers that wait for a call to end. Other threads change it during the call. */
  hurry?: Int32Array<SharedArrayBuffer>
}): Encoder {
  const { libraryPath, weightsPath, threads, isVerified = false } = options
  const { isa = '', hurry = hurryCounter() } = options
  const native = openOwnLibrary(libraryPath, signatures)
  const reason = new Uint8Array(256)
  const encoder = native.og_encoder_open(
    cString(weightsPath),
    Number(isVerified),
    threads,
    cString(isa),
    reason,
    reason.length,
  )
  if (!encoder) {
    throw new OgError(`Cannot open encoder weights ${weightsPath}: ${textOf(reason)}`)
  }
  return encoderOf(native, encoder as Pointer, hurry)
}

/** Creates a shared counter, stored at index 0. */
export const hurryCounter = () => new Int32Array(new SharedArrayBuffer(4))

/** `buffer` keeps an array alive during the call; `ptr` would pass only its address. */
const signatures = {
  og_encoder_open: { args: ['buffer', 'i32', 'i32', 'buffer', 'buffer', 'i32'], returns: 'ptr' },
  og_encoder_close: { args: ['ptr'], returns: 'void' },
  og_encoder_isa: { args: ['ptr'], returns: 'cstring' },
  og_encoder_dimensions: { args: ['ptr'], returns: 'i32' },
  og_encoder_max_tokens: { args: ['ptr'], returns: 'i32' },
  og_encoder_batch_tokens: { args: ['ptr'], returns: 'i32' },
  og_encoder_run: { args: ['ptr', 'buffer', 'buffer', 'i32', 'buffer', 'buffer'], returns: 'i32' },
} as const

type Native = ReturnType<typeof openOwnLibrary<typeof signatures>>

function encoderOf(native: Native, encoder: Pointer, hurry: Int32Array): Encoder {
  const dimensions = native.og_encoder_dimensions(encoder)
  return {
    isa: String(native.og_encoder_isa(encoder)),
    dimensions,
    maxTokens: native.og_encoder_max_tokens(encoder),
    batchTokens: native.og_encoder_batch_tokens(encoder),
    encode(texts) {
      const out = new Float32Array(texts.length * dimensions)
      if (texts.length === 0) return out
      const ids = Int32Array.from(texts.flat())
      const offsets = new Int32Array(texts.length + 1)
      texts.forEach((text, i) => (offsets[i + 1] = offsets[i]! + text.length))
      // An empty array has no address, so pass another one. The encoder then rejects the offsets.
      const first = ids.length === 0 ? offsets : ids
      const nRows = native.og_encoder_run(encoder, first, offsets, texts.length, hurry, out)
      if (nRows >= 0) return out.subarray(0, nRows * dimensions)
      throw new OgError('Cannot encode: a text is empty, too long or has an unknown token')
    },
    [Symbol.dispose]: () => native.og_encoder_close(encoder),
  }
}

const cString = (text: string) => Buffer.from(`${text}\0`)

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.subarray(0, bytes.indexOf(0))).toString()
}
