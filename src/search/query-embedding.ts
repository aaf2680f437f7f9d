import type { Embedder } from '../embed/embedder.ts'
import { termsOfName } from './name/name.ts'

/** `engine`: which model, and what computed it. */
export type QueryEmbedding = { vector: Float32Array; engine: string }

/** What the name alone counts beside the name as a query. */
const plainShare = 0.3

/**
 * The embedding that chunks are compared with. The prefix that a model wants before a query makes a
 * sentence of what is none: a name is embedded without it as well, and the two are mixed, so that a
 * cosine is the mixture of both cosines.
 */
export async function queryEmbedding(
  embedder: Pick<Embedder, 'embedQuery' | 'fingerprint' | 'arithmetic' | 'detail'>,
  text: string,
): Promise<QueryEmbedding> {
  const vector = await vectorOf(embedder, text)
  // Told once it has embedded something: the model loads meanwhile.
  const {
    arithmetic,
    detail,
    fingerprint: { model },
  } = embedder
  return { vector, engine: `${model}, ${detail ? `${arithmetic}, ${detail}` : arithmetic}` }
}

async function vectorOf(
  embedder: Pick<Embedder, 'embedQuery' | 'fingerprint'>,
  text: string,
): Promise<Float32Array> {
  const isMixed = embedder.fingerprint.queryPrefix !== '' && termsOfName(text) !== null
  if (!isMixed) return embedder.embedQuery(text)
  const both = [embedder.embedQuery(text), embedder.embedQuery(text, '')] as const
  const [prefixed, plain] = await Promise.all(both)
  return prefixed.map((value, i) => (1 - plainShare) * value + plainShare * plain[i]!)
}
