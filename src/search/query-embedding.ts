import type { Embedder } from '../embed/embedder.ts'
import { nameQueryTerms } from './name/name.ts'
import type { QueryEmbedding } from './collection.ts'

/** Weight of the embedding without prefix in the mix for a name. */
const plainShare = 0.3

/**
 * Returns the embedding that is compared with the chunks' embeddings. The model's query prefix
 * turns a bare name into a sentence. A name is therefore also embedded without the prefix, and the
 * two embeddings are mixed. A cosine with the mix is the mix of both cosines.
 */
export async function embedSearchQuery(
  embedder: Pick<Embedder, 'embedQuery' | 'fingerprint' | 'arithmetic' | 'detail'>,
  text: string,
): Promise<QueryEmbedding> {
  const vector = await vectorOf(embedder, text)
  // These fields are unknown until the first embedding because the model loads in the background.
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
  const isMixed = embedder.fingerprint.queryPrefix !== '' && nameQueryTerms(text) !== null
  if (!isMixed) return embedder.embedQuery(text)
  const both = [embedder.embedQuery(text), embedder.embedQuery(text, '')] as const
  const [prefixed, plain] = await Promise.all(both)
  return prefixed.map((value, i) => (1 - plainShare) * value + plainShare * plain[i]!)
}
