import { OgError } from '../platform/error.ts'
import { hybridSearch, type ScoredChunk } from '../search/hybrid.ts'
import type { Entry } from '../store/registry.ts'
import type { Hit, SearchRequest } from './library.ts'
import type { Opened } from './opened.ts'
import { pickEntries, versionsFrom, type VersionFrom } from './pick.ts'
import { isComparable } from './recipe.ts'
import type { OpenEntries } from './entries.ts'

export type SearchAnswer = {
  hits: Hit[]
  /** Versions that the project settled: of the library that was named, else of those with hits. */
  versionsFrom: VersionFrom[]
}

/**
 * Ranks chunks of the library version asked, or of every library. Throws OgError for a library or
 * version that is not indexed, and where the index was embedded by another model.
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
    if (wantsVectors) picked.forEach((entry) => refuseIncomparable(entry, opened))
    return picked
  })
  if (found.length === 0) return { hits: [], versionsFrom: [] }
  request.signal?.throwIfAborted()
  const hasVectors = found.some(({ open }) => open.generation.fingerprint !== null)
  const chunks = await hybridSearch(
    found.map(({ open }) => open),
    {
      text: request.query,
      // Started, not awaited: the model works while the full-text index is read.
      embedding: wantsVectors && hasVectors ? embedQuery(opened, request) : null,
      mode,
      limit: request.limit,
      kernels: opened.kernels,
    },
  )
  const hits = chunks.map((chunk, i) => hitOf(chunk, found[chunk.generationIndex]!.entry, i))
  const counts = ({ library }: VersionFrom) =>
    request.library !== null || hits.some((hit) => hit.library === library)
  return { hits, versionsFrom: settled.filter(counts) }
}

async function embedQuery(opened: Opened, request: SearchRequest): Promise<Float32Array> {
  const embedder = (await opened.embedder())!
  // The model was perhaps loaded meanwhile.
  request.signal?.throwIfAborted()
  return embedder.embedQuery(request.query)
}

function hitOf({ row, score }: ScoredChunk, entry: Entry, index: number): Hit {
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
  }
}

function refuseIncomparable(entry: Entry, opened: Opened): void {
  const { fingerprint } = entry.live
  if (fingerprint === null || isComparable(entry.live, opened)) return
  const own = opened.fingerprint!
  throw new OgError(
    `Cannot compare embeddings: library "${entry.library}" version "${entry.version}" was ` +
      `embedded by ${fingerprint.model} (${fingerprint.dimensions} dimensions), the settings ` +
      `name ${own.model} (${own.dimensions})`,
    {
      hint:
        'set embeddings.embedding_model back, or run og add again to embed it anew; ' +
        'embeddings.embedding_backend none searches the text alone',
    },
  )
}
