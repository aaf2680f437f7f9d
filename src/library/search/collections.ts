import { withoutRequest } from '../../chunk/terms.ts'
import { trace } from '../../platform/trace.ts'
import type { Collection, QueryEmbedding } from '../../search/collection.ts'
import { guideShareOf } from '../../search/guides-and-api.ts'
import { libraryFactors } from '../../search/library-gain.ts'
import { embedSearchQuery } from '../../search/query-embedding.ts'
import { pageFacts } from '../../search/scope/page-facts.ts'
import { scopeVersions, type ScopedVersion } from '../../search/scope/scope.ts'
import type { OpenVersions } from '../entries.ts'
import type { SearchRequest } from '../library.ts'
import type { LibraryContext } from '../library-context.ts'
import { embeddersByModel, type OpenEmbedder } from './by-model.ts'

export type ScopedCollection = Collection & ScopedVersion

/** Returns the searchable collection of each open library version, in the same order. */
export async function collectionsOf(
  context: LibraryContext,
  openVersions: readonly OpenVersions[number][],
  request: SearchRequest,
): Promise<ScopedCollection[]> {
  for (const { open } of openVersions) open.prepareSearch()
  const facts = openVersions.map(({ open }) => pageFacts(open))
  for (const read of facts) read.catch(() => {})
  const embeds = await embedsOf(context, openVersions, request)
  // Not awaited, so that the model works during page filtering and full-text search.
  for (const embed of new Set(embeds.values())) embed(request.query).catch(() => {})
  const ready = await Promise.all(facts)
  const gains = libraryFactors(
    openVersions.map(({ entry }) => entry),
    request,
  )
  const all = openVersions.map(({ entry, open }, i) => ({ entry, open, facts: ready[i]! }))
  return scopeVersions(all, request).map((one, i) => ({
    ...one,
    guideShare: guideShareOf(one.facts),
    gain: gains[i]!,
    embed: embeds.get(openVersions[i]!) ?? null,
  }))
}

type Embed = (text: string) => Promise<QueryEmbedding>

/** Returns the embedding functions of the versions. Embeds each text once per model. */
async function embedsOf(
  context: LibraryContext,
  openVersions: readonly OpenVersions[number][],
  request: SearchRequest,
): Promise<Map<OpenVersions[number], Embed>> {
  if (!wantsVectors(context, request)) return new Map()
  const embedders = await embeddersByModel(openVersions, context)
  const ofModel = new Map(
    [...new Set(embedders.values())].map((embedder) => [
      embedder,
      embedOnce(embedder, request.signal),
    ]),
  )
  return new Map([...embedders].map(([one, embedder]) => [one, ofModel.get(embedder)!]))
}

export function wantsVectors(
  context: LibraryContext,
  { mode = 'hybrid' }: Pick<SearchRequest, 'mode'>,
): boolean {
  return mode !== 'full-text' && context.fingerprint !== null
}

/** Returns a function that embeds each text once, even if calls overlap. */
export function embedOnce(open: OpenEmbedder, signal: AbortSignal | undefined): Embed {
  const byText = new Map<string, Promise<QueryEmbedding>>()
  return (text) => byText.getOrInsertComputed(text, () => embedText(open, text, signal))
}

/** Caches each embedder's last query, which is needed before and after choosing libraries. */
const lastQueries = new WeakMap<object, { text: string; embedding: QueryEmbedding }>()

async function embedText(
  open: OpenEmbedder,
  text: string,
  signal: AbortSignal | undefined,
): Promise<QueryEmbedding> {
  const embedder = await open()
  // The signal may have aborted while the model was loading.
  signal?.throwIfAborted()
  const last = lastQueries.get(embedder)
  if (last?.text === text) return last.embedding
  const embedding = await embedSearchQuery(embedder, withoutRequest(text))
  lastQueries.set(embedder, { text, embedding })
  trace('embed query', { engine: embedding.engine })
  return embedding
}
