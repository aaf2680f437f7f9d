import { diversified } from './mmr.ts'
import { recencyFactor } from './recency.ts'
import { corrections, filteredIds, rowsById, type MemoryChunk } from '../index/chunk-rows.ts'
import { localTime } from '../clock.ts'
import type { NameForm } from '../../search/name/exact-name.ts'
import { floorFor } from './floor.ts'
import { namedChunks, namedFirst } from './named.ts'
import { fullText } from '../index/full-text.ts'
import type { MemoryIndex } from '../index/memory-index.ts'
import { fused, type Scored } from './recall-fusion.ts'
import type { RecallRequest } from './recall-request.ts'
import type { Vectors } from '../index/vectors.ts'

export type RecallHit = MemoryChunk & {
  score: number
  /** Cosine of query and entry; 0 where full text alone found it. */
  vectorScore: number
  /** The `coverage` of its `TextMatch`, 0 to 1; 0 where vectors alone found it. */
  textScore: number
  /** The form in which it holds the name that the query is; null where it does not. */
  named: NameForm | null
  /** The id of the newest entry that corrects this one; null: none. */
  correctedBy: string | null
}

export type Recalled = { hits: RecallHit[]; nextOffset: number | null; nPending: number }

/** The inputs of recall: an index that is in step with the files, and the query's embedding. */
export type Recaller = {
  index: MemoryIndex
  /** Null: no embedder, or it failed. */
  vectors: Vectors | null
  embedQuery: (text: string) => Promise<Float32Array>
}

/**
 * The entries that answer a query, best first: what holds the name that is asked before all else,
 * then by words and by meaning, weighed by age where that is asked for; corrections before what
 * they correct, and none twice.
 * @throws what the embedder throws; the caller may then ask for full text
 */
export async function recall(recaller: Recaller, request: RecallRequest): Promise<Recalled> {
  const { index, vectors } = recaller
  const { query, limit, offset, mode, settings } = request
  const most = offset + limit + 1
  const candidates = Math.max(minCandidates, most * settings.candidateMultiplier)
  const asksVectors = vectors !== null && mode !== 'full-text'
  const embedding = asksVectors ? recaller.embedQuery(query) : null
  // A failure is told where it is awaited; full text runs meanwhile.
  embedding?.catch(() => {})
  const allowed = filteredIds(index, request.filter)
  const byText =
    mode === 'vector' ? [] : fullText(index, query, { limit: candidates, filter: request.filter })
  const byVector =
    embedding === null || vectors === null
      ? []
      : vectors.nearest(await embedding, candidates, allowed)
  const names = mode === 'vector' ? new Map() : namedChunks(index, query, request.filter)
  const scored = withNamed(fused(byText, byVector, settings), names)
  const rows = rowsById(
    index,
    scored.map(({ id }) => id),
  )
  const hits = distinct(scored, rows).filter(
    request.floor === undefined ? () => true : floorFor(query, request.floor),
  )
  const ranked = correctedLast(index, namedFirst(aged(hits, request)))
  const diverse =
    settings.mmrLambda > 0 && vectors !== null
      ? namedFirst(spread(ranked, { vectors, lambda: settings.mmrLambda, limit: most }))
      : ranked
  return {
    hits: diverse.slice(offset, offset + limit),
    nextOffset: diverse.length > offset + limit ? offset + limit : null,
    nPending: vectors?.nPending ?? 0,
  }
}

const minCandidates = 50

type Named = Scored & { named: NameForm | null }

/** Adds the chunks that hold the name and puts them first, so that each stands for its entry. */
function withNamed(scored: readonly Scored[], names: ReadonlyMap<number, NameForm>): Named[] {
  const ids = new Set(scored.map(({ id }) => id))
  const others = [...names.keys()].filter((id) => !ids.has(id))
  const unscored = others.map((id) => ({ id, score: 0, vectorScore: 0, textScore: 0 }))
  return namedFirst(
    [...scored, ...unscored].map((one) => ({ ...one, named: names.get(one.id) ?? null })),
  )
}

/** One hit per entry, the best of its parts; and one for all entries that say the same. */
function distinct(scored: Named[], rows: Map<number, MemoryChunk>): RecallHit[] {
  const seen = new Set<string>()
  return scored.flatMap(({ id, ...scores }) => {
    const row = rows.get(id)
    if (row === undefined || row.saidHash === '') return []
    const isLine = row.source === 'relations'
    const names = [isLine ? `${id}` : `${row.path} ${row.entryId}`, row.saidHash]
    if (names.some((name) => seen.has(name))) return []
    for (const name of names) seen.add(name)
    return [{ ...row, ...scores, correctedBy: null }]
  })
}

function aged(hits: RecallHit[], { settings, now }: RecallRequest): RecallHit[] {
  const rate = settings.temporalDecayRate
  if (rate === 0) return hits
  const today = localTime(now).day
  return hits
    .map((hit) => ({ ...hit, score: hit.score * recencyFactor(hit.date, { rate, today }) }))
    .sort((a, b) => b.score - a.score)
}

/**
 * Puts corrected entries after all others and their corrections in their places, also where a
 * correction has none of the words asked for. Retired entries are left out.
 */
function correctedLast(index: MemoryIndex, hits: RecallHit[]): RecallHit[] {
  const byEntry = corrections(
    index,
    hits.map(({ entryId }) => entryId),
  )
  if (byEntry.size === 0) return hits
  const placed = new Set<number>()
  const last: RecallHit[] = []
  const first = hits.flatMap((hit) => {
    const correction = lastCorrection(index, byEntry.get(hit.entryId))
    if (correction === null) return placed.has(hit.id) ? [] : (placed.add(hit.id), [hit])
    if (!correction.isRetirement) {
      last.push({ ...hit, named: null, correctedBy: correction.row.entryId })
    }
    if (correction.isRetirement || placed.has(correction.row.id)) return []
    placed.add(correction.row.id)
    return [{ ...hit, ...correction.row }]
  })
  return [...first, ...last]
}

type Correction = { row: MemoryChunk; isRetirement: boolean }

/** The end of a chain of corrections; one that comes back to itself ends where it was entered. */
function lastCorrection(index: MemoryIndex, first: Correction | undefined): Correction | null {
  const seen = new Set<string>()
  let last = first ?? null
  while (last !== null && !seen.has(last.row.entryId)) {
    seen.add(last.row.entryId)
    const next = corrections(index, [last.row.entryId]).get(last.row.entryId)
    if (next === undefined) return last
    last = next
  }
  return last
}

function spread(
  hits: RecallHit[],
  { vectors, lambda, limit }: { vectors: Vectors; lambda: number; limit: number },
): RecallHit[] {
  const embeddings = new Map(hits.map(({ id }) => [id, vectors.embeddings([id])[0]!]))
  const nearness = (a: RecallHit, b: RecallHit) =>
    cosine(embeddings.get(a.id), embeddings.get(b.id))
  return diversified(hits, { lambda, limit, nearness })
}

function cosine(a: Float32Array | null | undefined, b: Float32Array | null | undefined): number {
  if (!a || !b) return 0
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!
  return sum
}
