import type { Embedder } from '../embed/embedder.ts'
import { hybridSearch, type Nearest, type ScoredChunk } from '../search/hybrid.ts'
import type { Entry } from '../store/registry.ts'
import { byModel, type OpenEmbedder } from './by-model.ts'
import type { Hit, SearchRequest } from './library.ts'
import type { Opened } from './opened.ts'
import { pickEntries, versionsFrom, type VersionFrom } from './pick.ts'
import type { OpenEntries } from './entries.ts'

export type SearchAnswer = {
  hits: Hit[]
  /** Versions that the project settled: of the library that was named, else of those with hits. */
  versionsFrom: VersionFrom[]
  /** The best cosine and the best BM25 score of each library version that was asked. */
  nearest: NearestOf[]
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
  const mode = request.mode ?? 'hybrid'
  const wantsVectors = mode !== 'full-text' && opened.fingerprint !== null
  let settled: VersionFrom[] = []
  using found = await entries((all) => {
    const picked = pickEntries(all, request)
    settled = versionsFrom(all, picked, request)
    return picked
  })
  if (found.length === 0) return { hits: [], versionsFrom: [], nearest: [] }
  request.signal?.throwIfAborted()
  const groups = wantsVectors ? await byModel(found, opened) : [{ held: found, embedder: null }]
  const answers = groups.map(async ({ held, embedder }) => {
    const ranking = await hybridSearch(
      held.map(({ open }) => open),
      {
        text: request.query,
        // Started, not awaited: the model works while the full-text index is read.
        embedding: embedder && embedQuery(embedder, request),
        mode,
        limit: request.limit,
        kernels: opened.kernels,
      },
    )
    const entryOf = (index: number) => held[index]!.entry
    const engine = embedder && engineOf(await embedder())
    return {
      chunks: ranking.chunks.map((it) => ({ ...it, entry: entryOf(it.generationIndex) })),
      nearest: ranking.nearest.map((it, i) => ({ ...nearestOf(entryOf(i), it), engine })),
    }
  })
  const answered = await Promise.all(answers)
  const chunks = answered.flatMap((answer) => answer.chunks)
  if (groups.length > 1) chunks.sort((a, b) => b.score - a.score).splice(request.limit)
  const hits = chunks.map((chunk, i) => hitOf(chunk, chunk.entry, i))
  const counts = ({ library }: VersionFrom) =>
    request.library !== null || hits.some((hit) => hit.library === library)
  return {
    hits,
    versionsFrom: settled.filter(counts),
    nearest: answered.flatMap((answer) => answer.nearest),
  }
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
