import type { Collection } from '../../search/collection.ts'
import { libraryGains } from '../../search/library-gain.ts'
import { queryEmbedding, type QueryEmbedding } from '../../search/query-embedding.ts'
import { pageFacts } from '../../search/scope/page-facts.ts'
import { scoped, type Scoped } from '../../search/scope/scope.ts'
import type { Held } from '../entries.ts'
import type { SearchRequest } from '../library.ts'
import type { Opened } from '../opened.ts'
import { embeddersByModel, type OpenEmbedder } from './by-model.ts'

/** A library version that is asked, and which of its pages. */
export type AskedCollection = Collection & Scoped

/** In their order, what each library version that is held gives to a query. */
export async function collectionsOf(
  opened: Opened,
  held: readonly Held[number][],
  request: SearchRequest,
): Promise<AskedCollection[]> {
  const facts = held.map(({ open }) => pageFacts(open))
  for (const read of facts) read.catch(() => {})
  // Started, not awaited: the model works while pages are filtered and the full text is searched.
  const embeddings = await embeddingsOf(opened, held, request)
  const known = await Promise.all(facts)
  const gains = libraryGains(held.map(({ entry }) => entry), request)
  const all = held.map(({ entry, open }, i) => ({ entry, open, facts: known[i]! }))
  return scoped(all, request).map((one, i) =>
    ({ ...one, gain: gains[i]!, embedding: embeddings.get(held[i]!) ?? null }))
}

/** Of the query, by the model of each library version that has one. */
async function embeddingsOf(
  opened: Opened,
  held: readonly Held[number][],
  request: SearchRequest,
): Promise<Map<Held[number], Promise<QueryEmbedding>>> {
  if (!wantsVectors(opened, request)) return new Map()
  const embedders = await embeddersByModel(held, opened)
  const ofModel = new Map([...new Set(embedders.values())].map((embedder) => {
    const embedding = embedQuery(embedder, request)
    embedding.catch(() => {})
    return [embedder, embedding]
  }))
  return new Map([...embedders].map(([one, embedder]) => [one, ofModel.get(embedder)!]))
}

export function wantsVectors(
  opened: Opened, { mode = 'hybrid' }: Pick<SearchRequest, 'mode'>,
): boolean {
  return mode !== 'full-text' && opened.fingerprint !== null
}

async function embedQuery(
  open: OpenEmbedder,
  { query, signal }: Pick<SearchRequest, 'query' | 'signal'>,
): Promise<QueryEmbedding> {
  const embedder = await open()
  // The model was perhaps loaded meanwhile.
  signal?.throwIfAborted()
  return queryEmbedding(embedder, query)
}
