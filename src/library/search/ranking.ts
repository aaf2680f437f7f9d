import type { Embedder } from '../../embed/embedder.ts'
import { hybridSearch, type Nearest, type ScoredChunk } from '../../search/hybrid.ts'
import type { NearTerms } from '../../search/near-terms.ts'
import { queryEmbedding } from '../../search/query-embedding.ts'
import type { Entry } from '../../store/registry.ts'
import { byModel, type ModelGroup, type OpenEmbedder } from './by-model.ts'
import type { Held } from '../entries.ts'
import { isAnswer, judgedHits } from '../../search/judge.ts'
import { libraryGains } from '../../search/library-gain.ts'
import type { SearchRequest } from '../library.ts'
import type { Opened } from '../opened.ts'
import { pageFacts } from '../../search/scope/page-facts.ts'
import { scopeOf, type Scope, type Shelf } from '../../search/scope/scope.ts'

/** `engine`: which model, and what computes it; null where the query was not embedded. */
export type NearestOf = Nearest & {
  library: string
  version: string
  engine: string | null
  near: NearTerms
}

/** Chunks ranked beyond those wanted, since some are shown as one; and the most there are. */
const spare = 5
const mostRanked = 2000

/**
 * The chunks of all entries, best first, `generationIndex` being the position of their entry; and
 * the entries of which some answer the query (of none where nobody asks).
 */
export async function rankAll(opened: Opened, found: Held, request: SearchRequest) {
  const facts = found.map(({ open }) => pageFacts(open))
  for (const read of facts) read.catch(() => {})
  const groups = wantsVectors(opened, request)
    ? await byModel(found, opened)
    : [{ held: [...found], embedder: null }]
  // Started, not awaited: the model works while pages are filtered and the full text is searched.
  const embeddings = groups.map(({ embedder }) => embedder && embedQuery(embedder, request))
  for (const embedding of embeddings) embedding?.catch(() => {})
  const shelf: Shelf = { found, facts: await Promise.all(facts) }
  const scope = scopeOf(shelf, request)
  const gains = libraryGains(found.map(({ entry }) => entry), request)
  const asked = await Promise.all(groups.map((group, i) =>
    rankGroup({ opened, scope, found, gains, embedding: embeddings[i]! }, group, request)))
  return {
    shelf,
    counts: scope.counts,
    chunks: scope.weighted(asked.flatMap((answer) => answer.chunks)),
    nearest: asked.flatMap((answer) => answer.nearest),
    answering: asked.flatMap((answer) => answer.answering),
  }
}

type Ranking = {
  opened: Opened
  scope: Scope
  found: Held
  /** Of each of `found`. */
  gains: readonly number[]
  embedding: Promise<Float32Array> | null
}

async function rankGroup(
  { opened, scope, found, gains, embedding }: Ranking,
  { held, embedder }: ModelGroup,
  request: SearchRequest,
) {
  const { query: text, mode = 'hybrid', limit, refuse = false, without = [] } = request
  const positions = held.map((one) => found.indexOf(one))
  const wanted = Math.min(mostRanked, (2 * limit + spare) * scope.nVersions)
  const { chunks, nearest, near } = await hybridSearch(positions.map((at) => scope.opens[at]!), {
    text,
    embedding,
    mode,
    limit: refuse ? Math.max(wanted, judgedHits) : wanted,
    without,
    gains: positions.map((at) => gains[at]!),
    kernels: opened.kernels,
  })
  const engine = embedder && engineOf(await embedder())
  const isAnswering = await Promise.all(
    held.map(async (one, i) => {
      if (!refuse) return false
      const mine = chunks.filter(({ generationIndex }) => generationIndex === i)
      const isEmbedded = embedder !== null && one.entry.live.fingerprint !== null
      // One that has no chunk among the nearest of all is far from the query.
      const cosine = isEmbedded ? (nearest[i]!.cosine ?? 0) : null
      return await isAnswer(one, text, { cosine, chunks: mine, near })
    }),
  )
  return {
    chunks: chunks.map((chunk): ScoredChunk =>
      ({ ...chunk, generationIndex: positions[chunk.generationIndex]! })),
    nearest: nearest.map((it, i) => ({ ...nearestOf(held[i]!.entry, it), engine, near })),
    answering: held.filter((_, i) => isAnswering[i]).map(({ entry }) => entry),
  }
}

export function wantsVectors(opened: Opened, { mode = 'hybrid' }: SearchRequest): boolean {
  return mode !== 'full-text' && opened.fingerprint !== null
}

async function embedQuery(open: OpenEmbedder, request: SearchRequest): Promise<Float32Array> {
  const embedder = await open()
  // The model was perhaps loaded meanwhile.
  request.signal?.throwIfAborted()
  return queryEmbedding(embedder, request.query)
}

function engineOf({ fingerprint, arithmetic, detail }: Embedder): string {
  return `${fingerprint.model}, ${detail ? `${arithmetic}, ${detail}` : arithmetic}`
}

function nearestOf({ library, version }: Entry, nearest: Nearest) {
  return { library, version, ...nearest }
}
