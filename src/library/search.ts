import type { Embedder } from '../embed/embedder.ts'
import { hybridSearch, type Nearest, type ScoredChunk } from '../search/hybrid.ts'
import type { Entry } from '../store/registry.ts'
import { byModel, type ModelGroup, type OpenEmbedder } from './by-model.ts'
import type { Hit, SearchRequest } from './library.ts'
import type { Opened } from './opened.ts'
import { pickEntries, versionsFrom, type VersionFrom } from './pick.ts'
import type { Held, OpenEntries } from './entries.ts'
import { isAnswer, judgedHits } from './judge.ts'
import { isComparable } from './recipe.ts'
import {
  indexedSuggestions,
  missingSuggestions,
  nearestHeadings,
  type Refusal,
} from './refusal.ts'

export type SearchAnswer = {
  hits: Hit[]
  /** Versions that the project settled: of the library that was named, else of those with hits. */
  versionsFrom: VersionFrom[]
  /** The best cosine and the best BM25 score of each library version that was asked. */
  nearest: NearestOf[]
  /** Null unless it was asked for (`refuse`), and then where the hits answer the query. */
  refusal: Refusal | null
}

/** `engine`: which model, and what computes it; null where the query was not embedded. */
export type NearestOf = Nearest & { library: string; version: string; engine: string | null }

/**
 * Ranks chunks of the library version asked, or of every library. Throws OgError for a library or
 * version that is not indexed, and where the model that embedded it is not on this machine.
 */
export async function searchLibraries(
  opened: Opened,
  entries: OpenEntries,
  request: SearchRequest,
): Promise<SearchAnswer> {
  let settled: VersionFrom[] = []
  let all: Entry[] = []
  using found = await entries((known) => {
    all = known
    const picked = pickEntries(known, request)
    settled = versionsFrom(known, picked, request)
    return picked
  })
  if (found.length === 0) return { hits: [], versionsFrom: [], nearest: [], refusal: null }
  request.signal?.throwIfAborted()
  const { hits, nearest, answering } = await rankAll(opened, found, request)
  if (request.refuse && answering.length === 0) {
    const refusal = await refuse({ opened, entries, request }, { found, hits, all })
    return { hits: [], versionsFrom: [], nearest, refusal }
  }
  const counts = ({ library }: VersionFrom) =>
    request.library !== null || hits.some((hit) => hit.library === library)
  return { hits, versionsFrom: settled.filter(counts), nearest, refusal: null }
}

/** The hits, and the entries of which some answer the query (of none where nobody asks). */
async function rankAll(
  opened: Opened,
  found: Held,
  request: SearchRequest,
): Promise<{ hits: Hit[]; nearest: NearestOf[]; answering: Entry[] }> {
  const groups = wantsVectors(opened, request)
    ? await byModel(found, opened)
    : [{ held: found, embedder: null }]
  const asked = await Promise.all(groups.map((group) => rankGroup(opened, group, request)))
  const chunks = asked.flatMap((answer) => answer.chunks)
  if (groups.length > 1) chunks.sort((a, b) => b.score - a.score)
  return {
    hits: chunks.slice(0, request.limit).map((chunk, i) => hitOf(chunk, chunk.entry, i)),
    nearest: asked.flatMap((answer) => answer.nearest),
    answering: asked.flatMap((answer) => answer.answering),
  }
}

async function rankGroup(opened: Opened, { held, embedder }: ModelGroup, request: SearchRequest) {
  const { query: text, mode = 'hybrid', limit, refuse = false, without = [] } = request
  const { chunks, nearest } = await hybridSearch(
    held.map(({ open }) => open),
    {
      text,
      // Started, not awaited: the model works while the full-text index is read.
      embedding: embedder && embedQuery(embedder, request),
      mode,
      limit: refuse ? Math.max(limit, judgedHits) : limit,
      without,
      kernels: opened.kernels,
    },
  )
  const engine = embedder && engineOf(await embedder())
  const isAnswering = await Promise.all(
    held.map(async (one, i) => {
      if (!refuse) return false
      const mine = chunks.filter(({ generationIndex }) => generationIndex === i)
      const isEmbedded = embedder !== null && one.entry.live.fingerprint !== null
      // One that has no chunk among the nearest of all is far from the query.
      const cosine = isEmbedded ? (nearest[i]!.cosine ?? 0) : null
      return await isAnswer(one, text, { cosine, chunks: mine })
    }),
  )
  return {
    chunks: chunks.map((chunk) => ({ ...chunk, entry: held[chunk.generationIndex]!.entry })),
    nearest: nearest.map((it, i) => ({ ...nearestOf(held[i]!.entry, it), engine })),
    answering: held.filter((_, i) => isAnswering[i]).map(({ entry }) => entry),
  }
}

type Asking = { opened: Opened; entries: OpenEntries; request: SearchRequest }
type Refused = { found: Held; hits: readonly Hit[]; all: readonly Entry[] }

/** Says what is nearest, and asks the other libraries. */
async function refuse(
  { opened, entries, request }: Asking,
  { found, hits, all }: Refused,
): Promise<Refusal> {
  const asked = new Set(found.map(({ entry }) => entry.key))
  const [only] = found
  const where = asked.size > 1
    ? `${asked.size} libraries`
    : `${only!.entry.library} ${only!.entry.version}`
  const elsewhere = { ...request, library: null, version: null }
  using others = await entries((known) => {
    const picked = pickEntries(known, elsewhere).filter(({ key }) => !asked.has(key))
    // No other model is loaded for a hint.
    if (!wantsVectors(opened, request)) return picked
    return picked.filter(({ live }) => live.fingerprint === null || isComparable(live, opened))
  })
  const { answering } = others.length > 0
    ? await rankAll(opened, others, { ...elsewhere, limit: otherHits })
    : { answering: [] }
  const indexed = new Set(all.map(({ key }) => key))
  return {
    reason: `no good match in ${where}`,
    nearest: nearestHeadings(hits),
    suggest: [
      ...indexedSuggestions(request.query, answering),
      ...(await missingSuggestions(request, indexed)),
    ],
  }
}

/** So that of several libraries each that answers has one. */
const otherHits = 20

function wantsVectors(opened: Opened, { mode = 'hybrid' }: SearchRequest): boolean {
  return mode !== 'full-text' && opened.fingerprint !== null
}

async function embedQuery(open: OpenEmbedder, request: SearchRequest): Promise<Float32Array> {
  const embedder = await open()
  // The model was perhaps loaded meanwhile.
  request.signal?.throwIfAborted()
  return embedder.embedQuery(request.query)
}

function engineOf({ fingerprint, arithmetic, detail }: Embedder): string {
  return `${fingerprint.model}, ${detail ? `${arithmetic}, ${detail}` : arithmetic}`
}

function nearestOf({ library, version }: Entry, nearest: Nearest) {
  return { library, version, ...nearest }
}

function hitOf({ row, score, why }: ScoredChunk, entry: Entry, index: number): Hit {
  return {
    rank: index + 1,
    score,
    library: entry.library,
    version: entry.version,
    url: row.url,
    title: row.title,
    heading: row.heading,
    text: row.content,
    chunkId: `${entry.live.id}/${row.url}#${row.chunk_index}`,
    startLine: row.start_line,
    endLine: row.end_line,
    why,
  }
}
