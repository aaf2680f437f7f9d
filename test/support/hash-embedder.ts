import { createHash } from 'node:crypto'
import type { Embedder, Fingerprint } from '../../src/embed/embedder.ts'

export type HashEmbedder = Embedder & {
  /** Every text that was embedded, in order; queries without their prefix. */
  embedded: string[]
  queries: string[]
  /** Number of calls that have started and not ended. */
  underWay(): number
}

/**
 * An embedder without a model: the embedding of the text is the normalised sum of the hashes of its
 * words, so that texts with the same words are near. The embedding is the same in every process.
 */
export function hashEmbedder(
  options: { fingerprint?: Partial<Fingerprint>; arithmetic?: string; delayMs?: number } = {},
): HashEmbedder {
  const fingerprint = {
    model: 'hash',
    dimensions: 32,
    pooling: 'sum',
    queryPrefix: 'query: ',
    ...options.fingerprint,
  }
  const { dimensions } = fingerprint
  const embedded: string[] = []
  const queries: string[] = []
  let underWay = 0
  return {
    fingerprint,
    arithmetic: options.arithmetic ?? 'hash',
    maxTokens: 512,
    embedded,
    queries,
    underWay: () => underWay,
    async embed(texts) {
      underWay++
      await Bun.sleep(options.delayMs ?? 0)
      underWay--
      embedded.push(...texts)
      const block = new Float32Array(texts.length * dimensions)
      texts.forEach((text, row) => block.set(hashed(text, dimensions), row * dimensions))
      return block
    },
    async embedQuery(text) {
      queries.push(text)
      return hashed(text, dimensions)
    },
    async [Symbol.asyncDispose]() {},
  }
}

function hashed(text: string, dimensions: number): Float32Array {
  const sum = new Float32Array(dimensions)
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? ['']) {
    const digest = createHash('sha512').update(word).digest()
    for (let i = 0; i < dimensions; i++) sum[i]! += digest[i % 64]! - 127.5
  }
  const length = Math.hypot(...sum)
  return sum.map((value) => value / length)
}
