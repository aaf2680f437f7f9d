import { untilAborted, once } from '../platform/concurrency.ts'
import { openEmbeddingCache, type EmbeddingCache } from './cache.ts'
import type { Embedder, Fingerprint } from './embedder.ts'

/** The text whose embedding identifies a model. Changing it invalidates all stored probes. */
export const probeText = 'How do I open a file, read it line by line and close it again?'

const mostBits = 256

/** Age in milliseconds at which an endpoint's probe is repeated. */
const oldest = 10 * 60_000

/**
 * Adds `probe` to an embedder. It identifies an endpoint's model because the model behind a name
 * may change or get new weights. A probe is a single request, and its result is reused for ten
 * minutes. `now` is a monotonic clock in milliseconds.
 */
export function withProbe(
  embedder: Embedder,
  now: () => number = performance.now.bind(performance),
): Embedder {
  const startProbe = () =>
    once(async () => signsOfEmbedding(await embedder.embedQuery(probeText, '')))
  let [probe, since] = [startProbe(), now()]
  return {
    ...embedder,
    probe() {
      if (now() - since > oldest) [probe, since] = [startProbe(), now()]
      return probe()
    },
  }
}

/** Returns the fingerprint to store with an embedder's embeddings. */
export async function probedFingerprint(
  { fingerprint, probe }: Embedder,
  signal?: AbortSignal,
): Promise<Fingerprint> {
  return probe ? { ...fingerprint, probe: await untilAborted(probe(), signal) } : fingerprint
}

/** True if this model computed the cached embeddings. Assigns it a cache without a probe. */
export async function isCacheOfModel(cache: EmbeddingCache, embedder: Embedder): Promise<boolean> {
  const note = cache.readNote(probeText)
  if (note) return isSameModel(await probedFingerprint(embedder), { probe: signsOfEmbedding(note) })
  cache.note(probeText, await embedder.embed([probeText]))
  return true
}

/**
 * Returns the arithmetic under which a cache stores an endpoint's embeddings. `turn` counts the
 * models, from 1, that the endpoint has served under one name.
 */
export function cacheArithmetic(arithmetic: string, turn: number): string {
  return turn === 1 ? arithmetic : `${arithmetic}-${turn}`
}

/** Returns the arithmetic under which the cache at `path` stores a probed model's embeddings. */
export function arithmeticInCache(
  path: string,
  { fingerprint, arithmetic }: Pick<Embedder, 'fingerprint' | 'arithmetic'>,
): string {
  if (fingerprint.probe === undefined) return arithmetic
  for (let turn = 1; ; turn++) {
    const own = cacheArithmetic(arithmetic, turn)
    using cache = openEmbeddingCache(path, { fingerprint, arithmetic: own })
    const noted = cache.readNote(probeText)
    if (noted === null) return arithmetic // This cache has never seen the model.
    if (isSameModel(fingerprint, { probe: signsOfEmbedding(noted) })) return own
  }
}

/** Returns the signs of an embedding's first 256 numbers in hexadecimal. */
export function signsOfEmbedding(vector: Float32Array): string {
  const bits = Math.min(vector.length, mostBits)
  const bytes = Buffer.alloc(Math.ceil(bits / 8))
  for (let i = 0; i < bits; i++) if (vector[i]! > 0) bytes[i >> 3]! |= 1 << (i & 7)
  return bytes.toString('hex')
}

/**
 * True if two probes come from the same model. Half of the signs differ between models, and only a
 * few between precisions of one model. The limit of one eighth corresponds to an angle of 22
 * degrees. A missing probe counts as the same model.
 */
export function isSameModel(
  a: Pick<Fingerprint, 'probe' | 'dimensions'>,
  b: Pick<Fingerprint, 'probe'>,
): boolean {
  if (a.probe === undefined || b.probe === undefined) return true
  const [left, right] = [Buffer.from(a.probe, 'hex'), Buffer.from(b.probe, 'hex')]
  if (left.length !== right.length) return false
  let differing = 0
  for (const [i, byte] of left.entries()) {
    for (let odd = byte ^ right[i]!; odd !== 0; odd &= odd - 1) differing++
  }
  return differing * 8 <= Math.min(a.dimensions, mostBits)
}
