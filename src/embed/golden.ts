import { realpathSync } from 'node:fs'
import type { Embedder } from './embedder.ts'
import { goldenIds, goldenText, packedFp32, packedInt8 } from './golden-reference.ts'
import { openTokenizer } from './tokenizer.ts'
import type { Verdict } from '../platform/check.ts'

/**
 * The least cosine of the int8 model with the golden embedding. Packing that into bytes costs
 * 0.0001; differences between CPUs cost this short sentence less than 1e-9, since the graph's
 * weights stay within 7 bits, so that no sum saturates (run on AVX-512 with VNNI and AVX2 without);
 * they cost a text of 512 tokens 0.0006. The fp32 weights of the same model reach only 0.9976, so
 * other weights are detected.
 */
export const goldenCosine = 0.999

/** The least cosine of our encoder with the fp32 reference; it reaches 0.999 on every CPU. */
const nativeCosine = 0.997

/** Whether the tokenizer cuts the golden sentence into the tokens of the reference. */
export function checkTokenizer(path: string): Verdict {
  const ids = openTokenizer(path).encode(goldenText, 512)
  const isRight = ids.length === goldenIds.length && ids.every((id, i) => id === goldenIds[i])
  const tokens = `${ids.length} tokens`
  const shown = realpathSync(path)
  if (isRight) return { ok: true, detail: `${shown}: the golden sentence has its ${tokens}` }
  return {
    ok: false,
    detail: `${shown}: other tokens for the golden sentence: ${ids.join(' ')}`,
    hint: 'delete the file, then run again',
  }
}

/** Cosine of the embedder's embedding of the golden sentence with the reference. */
export async function cosineWithGolden(
  embedder: Pick<Embedder, 'embed' | 'arithmetic'>,
): Promise<number> {
  // An embedder knows its arithmetic for certain only after it has embedded.
  const embedding = await embedder.embed([goldenText])
  return cosine(embedding, isNative(embedder) ? packedFp32 : packedInt8)
}

/** The least value of `cosineWithGolden` that passes. */
export function leastCosine(embedder: Pick<Embedder, 'arithmetic'>): number {
  return isNative(embedder) ? nativeCosine : goldenCosine
}

const isNative = ({ arithmetic }: Pick<Embedder, 'arithmetic'>) => arithmetic === 'native-int8'

/** Whether the encoder's row for `goldenIds` is as near to the fp32 reference as int8 can be. */
export function isNearGolden(row: Float32Array): boolean {
  return cosine(row, packedFp32) >= nativeCosine
}

function cosine(embedding: Float32Array, packed: string): number {
  const golden = new Int8Array(Buffer.from(packed, 'base64'))
  if (embedding.length !== golden.length) return 0
  const product = golden.reduce((sum, x, i) => sum + x * embedding[i]!, 0)
  return product / (Math.hypot(...golden) * Math.hypot(...embedding))
}
