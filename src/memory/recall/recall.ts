import {
  findCorrections,
  filteredIds,
  invalidIds,
  neighboursOf,
  rowsById,
  type MemoryChunk,
  type RecallFilter,
} from '../index/chunk-rows.ts'
import { localTime } from '../text.ts'
import { exactName, nameFinder, nameTerms } from '../../search/name/exact-name.ts'
import { relevanceTest, type RecallRequest } from './recall-request.ts'
import { searchFullText, matchAllTerms, type TextMatch } from '../index/full-text.ts'
import type { MemoryIndex } from '../index/memory-index.ts'
import {
  fuse,
  inverseNeighbours,
  withNeighbours,
  type Fusion,
  type FusedScore,
} from './recall-fusion.ts'
import type { NearChunk, Vectors } from '../index/vectors.ts'
import { nameForms, type NameForm } from '../../search/candidate.ts'

export type RecallHit = MemoryChunk & {
  score: number
  /** Cosine between query and entry; 0 if only full text found the entry. */
  vectorScore: number
  /** `TextMatch.coverage`, from 0 to 1; 0 if only the vector lane found the entry. */
  textScore: number
  /** The form in which the entry contains the queried name, or null. */
  named: NameForm | null
  isWeak: boolean
  /** The id of the newest entry that corrects this one, or null. */
  correctedBy: string | null
}

export type RecallAnswer = { hits: RecallHit[]; nextOffset: number | null; nPending: number }

export type RecallInputs = {
  index: MemoryIndex
  /** Null if there is no embedder or if it failed. */
  vectors: Vectors | null
  embedQuery: (text: string) => Promise<Float32Array>
}

/**
 * Finds the entries that answer a query, best first. Entries that contain the queried name come
 * first, then others by full text, meaning and optionally age. Replaces corrected entries with
 * their corrections and removes duplicates.
 * @throws if the embedder fails; the caller can then use full text only
 */
export async function recall(
  recaller: RecallInputs,
  request: RecallRequest,
): Promise<RecallAnswer> {
  const { index, vectors } = recaller
  const { query, limit, offset, mode, settings, asOf } = request
  const filter = asOf === undefined ? request.filter : { ...request.filter, validOn: asOf }
  const day = asOf ?? localTime(request.now).day
  const invalid = asOf === undefined ? invalidIds(index, day) : new Set<number>()
  const most = offset + limit + 1
  const candidates = Math.max(minCandidates, most * settings.candidateMultiplier) + invalid.size
  const asksVectors = vectors !== null && mode !== 'full-text'
  const embedding = asksVectors ? recaller.embedQuery(query) : null
  // Full-text search runs meanwhile. The await below reports a failure.
  embedding?.catch(() => {})
  const allowed = filteredIds(index, filter)
  const byText =
    mode === 'vector' ? [] : searchFullText(index, query, { limit: candidates, filter })
  const names = mode === 'vector' ? new Map() : findNameMatches(index, query, filter)
  const asked = embedding === null || vectors === null ? null : { vectors, query: await embedding }
  const byVector = asked?.vectors.nearest(asked.query, candidates, allowed) ?? []
  const fused = fuseLanes(index, { byText, byVector, asked, allowed, settings })
  const scored = withNamed(fused, names).filter(({ id }) => !invalid.has(id))
  const rows = rowsById(
    index,
    scored.map(({ id }) => id),
  )
  const hits = aboveFloor(withoutDuplicates(scored, rows), request)
  const ranked = correctedLast(
    index,
    sortNameMatchesFirst(applyRecency(hits, request)),
    day,
  ).filter(({ id }) => !invalid.has(id))
  const diverse =
    settings.mmrLambda > 0 && vectors !== null
      ? sortNameMatchesFirst(
          diversifyHits(ranked, { vectors, lambda: settings.mmrLambda, limit: most }),
        )
      : ranked
  return {
    hits: diverse.slice(offset, offset + limit),
    nextOffset: diverse.length > offset + limit ? offset + limit : null,
    nPending: vectors?.nPending ?? 0,
  }
}

const minCandidates = 50

type LaneHits = {
  byText: readonly TextMatch[]
  byVector: readonly NearChunk[]
  asked: { vectors: Vectors; query: Float32Array } | null
  allowed: Set<number> | null
  settings: Fusion
}

function fuseLanes(index: MemoryIndex, lanes: LaneHits): FusedScore[] {
  const { byText, byVector, asked, allowed, settings } = lanes
  const cosines = (ids: readonly number[]) =>
    asked?.vectors.cosines(asked.query, ids) ?? new Map<number, number>()
  const found = new Set(byVector.map(({ id }) => id))
  const onlyText = byText.map(({ id }) => id).filter((id) => !found.has(id))
  const fused = fuse({ byText, byVector, cosines: cosines(onlyText) }, settings)
  if (settings.fusion !== 'linear') return fused
  const best = fused.slice(0, minCandidates).map(({ id }) => id)
  const neighbours = neighboursOf(index, best)
  const known = new Set(fused.map(({ id }) => id))
  const isNew = (id: number) => !known.has(id) && (allowed?.has(id) ?? true)
  const inverse = inverseNeighbours(neighbours, isNew)
  const added = [...inverse.keys()]
  const others = [...cosines(added)].map(([id, cosine]) => ({ id, cosine }))
  const unfound = { byText: [], byVector: others, cosines: new Map() }
  const all = [...fused, ...fuse(unfound, settings)]
  return withNeighbours(all, new Map([...neighbours, ...inverse]))
}

function aboveFloor(hits: RecallHit[], { query, floor }: RecallRequest): RecallHit[] {
  if (floor === undefined) return hits
  const isRelevant = relevanceTest(query, floor)
  const marked = hits.map((hit) => ({ ...hit, isWeak: !isRelevant(hit) }))
  return floor.keepsWeak === true ? marked : marked.filter(({ isWeak }) => !isWeak)
}

type NamedScore = FusedScore & { named: NameForm | null }

/**
 * Puts the chunks that contain the name first. The first chunk of an entry represents the entry.
 */
function withNamed(
  scored: readonly FusedScore[],
  names: ReadonlyMap<number, NameForm>,
): NamedScore[] {
  const ids = new Set(scored.map(({ id }) => id))
  const others = [...names.keys()].filter((id) => !ids.has(id))
  const unscored = others.map((id) => ({ id, score: 0, vectorScore: 0, textScore: 0 }))
  return sortNameMatchesFirst(
    [...scored, ...unscored].map((one) => ({ ...one, named: names.get(one.id) ?? null })),
  )
}

function withoutDuplicates(scored: NamedScore[], rows: Map<number, MemoryChunk>): RecallHit[] {
  const seen = new Set<string>()
  return scored.flatMap(({ id, ...scores }) => {
    const row = rows.get(id)
    if (row === undefined || row.saidHash === '') return []
    const isLine = row.source === 'relations'
    const names = [isLine ? `${id}` : `${row.path} ${row.entryId}`, row.saidHash]
    if (names.some((name) => seen.has(name))) return []
    for (const name of names) seen.add(name)
    return [{ ...row, ...scores, isWeak: false, correctedBy: null }]
  })
}

function applyRecency(hits: RecallHit[], { settings, now }: RecallRequest): RecallHit[] {
  const rate = settings.temporalDecayRate
  if (rate === 0) return hits
  const today = localTime(now).day
  return hits
    .map((hit) => ({ ...hit, score: hit.score * recencyFactor(hit.date, { rate, today }) }))
    .sort((a, b) => b.score - a.score)
}

/**
 * Replaces corrected entries with their corrections, even if a correction contains no query term,
 * and moves the corrected entries to the end. Drops retired entries.
 */
function correctedLast(index: MemoryIndex, hits: RecallHit[], day: string): RecallHit[] {
  const byEntry = findCorrections(
    index,
    hits.map(({ entryId }) => entryId),
    day,
  )
  if (byEntry.size === 0) return hits
  const placed = new Set<number>()
  const last: RecallHit[] = []
  const first = hits.flatMap((hit) => {
    const correction = lastCorrection(index, byEntry.get(hit.entryId), day)
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

/**
 * Returns the last entry in a chain of corrections. In a cycle, returns the entry where the chain
 * entered the cycle.
 */
function lastCorrection(
  index: MemoryIndex,
  first: Correction | undefined,
  day: string,
): Correction | null {
  const seen = new Set<string>()
  let last = first ?? null
  while (last !== null && !seen.has(last.row.entryId)) {
    seen.add(last.row.entryId)
    const next = findCorrections(index, [last.row.entryId], day).get(last.row.entryId)
    if (next === undefined) return last
    last = next
  }
  return last
}

function diversifyHits(
  hits: RecallHit[],
  { vectors, lambda, limit }: { vectors: Vectors; lambda: number; limit: number },
): RecallHit[] {
  const embeddings = new Map(hits.map(({ id }) => [id, vectors.embeddings([id])[0]!]))
  const nearness = (a: RecallHit, b: RecallHit) =>
    cosine(embeddings.get(a.id), embeddings.get(b.id))
  return diversify(hits, { lambda, limit, nearness })
}

function cosine(a: Float32Array | null | undefined, b: Float32Array | null | undefined): number {
  if (!a || !b) return 0
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!
  return sum
}

const dayMs = 86_400_000

/** Returns exp(−rate × age in days). Returns 1 for future dates and for entries without a date. */
export function recencyFactor(
  date: string | null,
  options: { rate: number; today: string },
): number {
  if (date === null || options.rate === 0) return 1
  const days = (Date.parse(options.today) - Date.parse(date)) / dayMs
  return Number.isFinite(days) ? Math.exp(-options.rate * Math.max(0, days)) : 1
}

/**
 * Maximal marginal relevance (Carbonell and Goldstein 1998). Picks `limit` times the item with the
 * highest `lambda` × relevance − (1 − lambda) × similarity to the picked items. Divides scores by
 * the best score, so that relevance and similarity are both at most 1. `nearness` is a cosine;
 * negative values count as 0.
 */
export function diversify<Item extends { score: number }>(
  items: Item[],
  options: { lambda: number; limit: number; nearness: (a: Item, b: Item) => number },
): Item[] {
  const { lambda, limit, nearness } = options
  const best = Math.max(...items.map(({ score }) => score))
  const left = items.map((item) => ({ item, relevance: item.score / best, nearest: 0 }))
  const picked: Item[] = []
  while (left.length > 0 && picked.length < limit) {
    const worth = left.map(({ relevance, nearest }) => lambda * relevance - (1 - lambda) * nearest)
    const [next] = left.splice(worth.indexOf(Math.max(...worth)), 1)
    picked.push(next!.item)
    for (const other of left) {
      other.nearest = Math.max(other.nearest, nearness(other.item, next!.item))
    }
  }
  return picked
}

/** Maximum number of chunks that are read per list of terms. */
const mostMatches = 500

/**
 * Returns the chunks that contain the queried name, with the form that matched. The map is empty if
 * the query is not a name.
 */
export function findNameMatches(
  index: MemoryIndex,
  query: string,
  filter: RecallFilter,
): Map<number, NameForm> {
  const name = exactName(query)
  if (name === null) return new Map()
  const bounds = { limit: mostMatches, filter }
  const ids = nameTerms(name).flatMap((terms) => matchAllTerms(index, terms, bounds))
  const find = nameFinder(name)
  const formOf = ({ heading, tags, text }: MemoryChunk) =>
    find([heading, ...tags, text].join('\n'))?.form ?? null
  return new Map(
    [...rowsById(index, [...new Set(ids)])].flatMap(([id, row]) => {
      const form = formOf(row)
      return form === null ? [] : [[id, form] as const]
    }),
  )
}

/** Sorts hits that contain the name first, by form. All other hits keep their order. */
export function sortNameMatchesFirst<T extends { named: NameForm | null }>(
  hits: readonly T[],
): T[] {
  const tier = ({ named }: T) => (named === null ? nameForms.length : nameForms.indexOf(named))
  return hits.toSorted((a, b) => tier(a) - tier(b))
}
