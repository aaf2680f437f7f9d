import type { Embedder } from './embedder.ts'
import { openTokenizer } from './tokenizer.ts'
import type { Verdict } from '../platform/check.ts'

/** The sentence whose tokens and embedding are known: the first of golden-embeddings.json. */
export const goldenText = 'FastAPI is a modern, fast web framework for building APIs with Python.'

/**
 * The least cosine of the int8 model with the golden embedding. Packing it into bytes costs 0.0001.
 * The machine costs less than 1e-9: the graph's weights stay within 7 bits, so no CPU saturates a
 * sum, and AVX-512 with VNNI and AVX2 without agree (both were run). The fp32 weights of the same
 * model reach 0.9976: other weights are told apart.
 */
export const goldenCosine = 0.999

/** The least cosine of our encoder with the fp32 reference; it reaches 0.999 on every CPU. */
export const nativeCosine = 0.997

/** Whether the tokenizer cuts the golden sentence into the tokens of the reference. */
export function checkTokenizer(path: string): Verdict {
  const ids = openTokenizer(path).encode(goldenText, 512)
  const isRight = ids.length === goldenIds.length && ids.every((id, i) => id === goldenIds[i])
  const tokens = `${ids.length} tokens`
  if (isRight) return { ok: true, detail: `${path}: the golden sentence has its ${tokens}` }
  return {
    ok: false,
    detail: `${path}: other tokens for the golden sentence: ${ids.join(' ')}`,
    hint: 'delete the file, then run again',
  }
}

/** Cosine of the embedder's embedding of the golden sentence with the reference. */
export async function cosineWithGolden(
  embedder: Pick<Embedder, 'embed' | 'arithmetic'>,
): Promise<number> {
  // Only what has embedded knows its arithmetic for certain.
  const embedding = await embedder.embed([goldenText])
  return cosine(embedding, isNative(embedder) ? packedFp32 : packed)
}

/** What `cosineWithGolden` has to reach. */
export function leastCosine(embedder: Pick<Embedder, 'arithmetic'>): number {
  return isNative(embedder) ? nativeCosine : goldenCosine
}

const isNative = ({ arithmetic }: Pick<Embedder, 'arithmetic'>) => arithmetic === 'native-int8'

/** Whether the encoder's row for `goldenIds` is what fp32 makes of them, as far as int8 can be. */
export function isNearGolden(row: Float32Array): boolean {
  return cosine(row, packedFp32) >= nativeCosine
}

function cosine(embedding: Float32Array, packed: string): number {
  const golden = new Int8Array(Buffer.from(packed, 'base64'))
  if (embedding.length !== golden.length) return 0
  const product = golden.reduce((sum, x, i) => sum + x * embedding[i]!, 0)
  return product / (Math.hypot(...golden) * Math.hypot(...embedding))
}

/** Its tokens, special ones included. */
export const goldenIds = [
  101, 3435, 9331, 2072, 2003, 1037, 2715, 1010, 3435, 4773, 7705, 2005, 2311, 17928, 2015, 2007,
  18750, 1012, 102,
]

/** 384 signed bytes: the `int8` reference, scaled so that its largest number is 127. */
const packed =
  '2AHqBxnm+e8MAgr2Ew4L9vvr/AMPAPff8B329PvUCOIN8wkT9Ab1DQ0U9RP9/OwT8O/79gj/CgT+JAADEf/iHwAO8fUK' +
  'AucQAB8F/hsBEhUP6/f5//YGEyAB7PUCDgYM/AHlf/ALBgcQ9fXoA+kB8Pz9CwfkC/kCAgsIBvAI/xTxHRIP5foJAQwB' +
  '9Qfr7v/o9yMPHOr3+Av46PMDEwwg/N8A8Aj5uwH56wMDDvgC/fTi9hUGAf/pEPzzAfsN7v4T4/8GBAcKDQDzGfUK9ev1' +
  '/wcC/f8GAOTv+w0IFvfsBJYP9gP25PfsEx0o/An89Q4M/ffy9vwH9P72SOwD7Qf6/dP3FR0M//4ABRXiAwQA5gEJAAkN' +
  'GOoDCBEC/Pnc+vwI9gj0AfDvK94TDPkIAx0QFgwG/Af9FwbwA/8V6gAD/5wY7PkMBgfvCwnyEw4CBgwb/vj1/gA+9wcd' +
  'EfMA/Pv0DPEA/wr09fsTGA0DEQMA5PoT/9L6/h/0FhD0/AIABhMR'

/** The same of the `fp32` reference. */
const packedFp32 =
  '2v/rBhfo+u4KAgn2FA0L9vzv/AMOAfng7x339vrTCOQO8gkR9gX0CwwT9Q/+/ewT8PD69gb+CwT/IwECDgDlHgMP8/ULAugS' +
  'AB0F/xgAEhMN7fj7//UFEx0C6/UCDwYO/QLkf+8KCAQP+fbpAuwA7/v8DAbmCvoCAgsIBfQE/hXwHBEQ6PsJAgsC9wbs7wHo' +
  '+B4PG+z3+Ar56fECEgsd++D/8Aj6vwL67QECDvgC/vPk+BQHAf/qEfryBPsM7/4R5P4EBggIC//1FvcL9ez1/wcC+/4G/+fu' +
  '+g0IFPXtApoP9wL15vjsEhkk+Qr/8wwK/fjz+f0H9f34RO0D7gf6/db3FxoKAP8ABxTkAAMA5wEIAQkNFusCBhEE/Pre+/4J' +
  '9wj0APTvKeIRC/oHBBsOFg4G/Af8FQTxA/4V7AAC/50U8fkLBgbuCAr0FA8EBAob/vn1/wE99gkcEfQC/Pr2DfD/AQr09vwT' +
  'Fw0EDwQA4/oTANX7/Rz2FA/0/AABBRMO'
