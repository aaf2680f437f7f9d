import { realpathSync } from 'node:fs'
import type { Embedder } from './embedder.ts'
import { goldenIds, goldenText, goldenFp32, goldenInt8 } from './golden-reference.ts'
import { openTokenizer } from './tokenizer.ts'
import type { CheckResult } from '../platform/check.ts'

/**
 * Minimum cosine between the int8 model's embedding and the golden embedding. Storing the golden
 * embedding as bytes costs 0.0001. CPUs differ by less than 1e-9 for this short sentence: the
 * graph's weights have only 7 bits, so that no sum saturates (tested on AVX-512 with VNNI and on
 * AVX2 without). For a text of 512 tokens they differ by 0.0006. The fp32 weights of the same model
 * only reach 0.9976, so other weights are detected.
 */
export const minInt8Cosine = 0.999

/**
 * Minimum cosine between the embedding of og's own encoder and the fp32 reference; it reaches 0.999
 * on every CPU.
 */
const nativeCosine = 0.997

/** Checks that the tokenizer splits the golden sentence into the reference tokens. */
export function checkTokenizer(path: string): CheckResult {
  const ids = openTokenizer(path).encode(goldenText, 512)
  const isRight = ids.length === goldenIds.length && ids.every((id, i) => id === goldenIds[i])
  const tokens = `${ids.length} tokens`
  const realPath = realpathSync(path)
  if (isRight) return { ok: true, detail: `${realPath}: the golden sentence has its ${tokens}` }
  return {
    ok: false,
    detail: `${realPath}: other tokens for the golden sentence: ${ids.join(' ')}`,
    hint: 'delete the file, then run again',
  }
}

/** Returns the cosine between the embedder's embedding of the golden sentence and the reference. */
export async function cosineWithGolden(
  embedder: Pick<Embedder, 'embed' | 'arithmetic'>,
): Promise<number> {
  // An embedder knows its arithmetic for certain only after its first embedding.
  const embedding = await embedder.embed([goldenText])
  return cosine(embedding, isNative(embedder) ? goldenFp32 : goldenInt8)
}

/** Returns the minimum value of `cosineWithGolden` that passes. */
export function minGoldenCosine(embedder: Pick<Embedder, 'arithmetic'>): number {
  return isNative(embedder) ? nativeCosine : minInt8Cosine
}

const isNative = ({ arithmetic }: Pick<Embedder, 'arithmetic'>) => arithmetic === 'native-int8'

/** True if the encoder's row for `goldenIds` is as close to the fp32 reference as int8 allows. */
export function isNearGolden(row: Float32Array): boolean {
  return cosine(row, goldenFp32) >= nativeCosine
}

function cosine(embedding: Float32Array, packed: string): number {
  const golden = new Int8Array(Buffer.from(packed, 'base64'))
  if (embedding.length !== golden.length) return 0
  const product = golden.reduce((sum, x, i) => sum + x * embedding[i]!, 0)
  return product / (Math.hypot(...golden) * Math.hypot(...embedding))
}
