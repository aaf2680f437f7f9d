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
export async function cosineWithGolden(embedder: Pick<Embedder, 'embed'>): Promise<number> {
  const embedding = await embedder.embed([goldenText])
  const golden = new Int8Array(Buffer.from(packed, 'base64'))
  if (embedding.length !== golden.length) return 0
  const product = golden.reduce((sum, x, i) => sum + x * embedding[i]!, 0)
  return product / (Math.hypot(...golden) * Math.hypot(...embedding))
}

const goldenIds = [
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
