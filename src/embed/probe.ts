import { untilAborted } from '../platform/concurrency.ts'
import { once } from '../platform/once.ts'
import type { EmbeddingCache } from './cache.ts'
import type { Embedder, Fingerprint } from './embedder.ts'

/** What is embedded to know a model by; changed, it makes all endpoints unknown. */
export const probeText = 'How do I open a file, read it line by line and close it again?'

const mostBits = 256

/** So old, in milliseconds, the answer of an endpoint is asked for again. */
const oldest = 10 * 60_000

/**
 * An embedder that can say by what numbers it answers: behind one name an endpoint may have another
 * model tomorrow, or the same one in other weights. That takes one request, when it is asked and
 * was not within ten minutes. `now`: milliseconds that never go back.
 */
export function withProbe(
  embedder: Embedder, now: () => number = performance.now.bind(performance),
): Embedder {
  const asking = () => once(async () => sketch(await embedder.embedQuery(probeText, '')))
  let [probe, since] = [asking(), now()]
  return {
    ...embedder,
    probe() {
      if (now() - since > oldest) [probe, since] = [asking(), now()]
      return probe()
    },
  }
}

/** The fingerprint to be kept with what this embedder has embedded. */
export async function probedFingerprint(
  { fingerprint, probe }: Embedder, signal?: AbortSignal,
): Promise<Fingerprint> {
  return probe ? { ...fingerprint, probe: await untilAborted(probe(), signal) } : fingerprint
}

/** Whether a cache has embeddings of this model, or none; then it is noted as this model's. */
export async function isCacheOf(cache: EmbeddingCache, embedder: Embedder): Promise<boolean> {
  const noted = cache.noted(probeText)
  if (noted) return isOneModel(await probedFingerprint(embedder), { probe: sketch(noted) })
  cache.note(probeText, await embedder.embed([probeText]))
  return true
}

/** The signs of the first 256 numbers, as hexadecimal digits. */
export function sketch(vector: Float32Array): string {
  const bits = Math.min(vector.length, mostBits)
  const bytes = Buffer.alloc(Math.ceil(bits / 8))
  for (let i = 0; i < bits; i++) if (vector[i]! > 0) bytes[i >> 3]! |= 1 << (i & 7)
  return bytes.toString('hex')
}

/**
 * Whether two sketches are of one model. Of two models half of the signs differ, of one in other
 * precision a few: an eighth is an angle of 22 degrees. What has no sketch is not known to differ.
 */
export function isOneModel(
  a: Pick<Fingerprint, 'probe' | 'dimensions'>, b: Pick<Fingerprint, 'probe'>,
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
