import { trace } from '../platform/trace.ts'
import { adjustRanking } from './adjust.ts'
import type { Candidate, WithRow, WithText } from './candidate.ts'
import type { Collection } from './collection.ts'
import { buildExcerpts } from './excerpt/excerpts.ts'
import { fuse } from './fuse.ts'
import { groupChunks, dropUnrelatedChunks } from './group.ts'
import type { Confidence } from './confidence.ts'
import { hitsToJudge, rateCollections, type NearestScores, type RankedChunks } from './judge.ts'
import { searchLanes, type Lanes } from './lanes.ts'
import { mixed } from './guides-and-api.ts'
import { unswappedText } from './near-terms.ts'
import type { RankingRequest } from './query.ts'
import { weights } from './weights.ts'

export type HitsRequest = RankingRequest & {
  /** Number of chunks shown on each side of a hit. */
  context: number
  /**
   * Maximum number of characters per hit, by rank. The last size applies to all later hits. If
   * undefined, hits are whole sections.
   */
  sizes?: readonly number[] | undefined
  /** True if the search also decides which collections answer the query. */
  isJudged: boolean
}

/** `confidence` is the highest among the libraries of the best hits; null if not judged. */
export type SearchHits = RankedChunks & {
  excerpts: (Candidate & WithRow & WithText)[]
  confidence: Confidence | null
}

/**
 * Runs a query and returns at most `limit` hits with their excerpts. These are the stages with
 * their input and output. The first four are in `rankChunks`:
 *
 * 1. `searchLanes`: words and embedding of the query → the candidates of both lanes
 * 2. `fuse`: both lanes → one candidate per chunk, with the parts of its score
 * 3. `adjustRanking`: candidates → the same and chunks that contain a name, best first
 * 4. `groupChunks`: candidates → distinct passages, each with its row
 * 5. `buildExcerpts`: passages → the same, merged, with the text to show
 * 6. `rateAnswer`: passages and the nearest scores → confidence
 */
export async function search(
  collections: readonly Collection[],
  query: HitsRequest,
): Promise<SearchHits> {
  const { text, limit, context, sizes, isJudged } = query
  const ranking = await rankChunks(collections, { ...query, limit: chunksFor(collections, query) })
  const shaping = { text, names: ranking.lanes.names, limit, context, sizes }
  const excerpts = await buildExcerpts(dropUnrelatedChunks(ranking.chunks), shaping)
  trace('excerpt pages', { excerpts: excerpts.length })
  const confidence = isJudged ? await rateAnswer(collections, text, ranking) : null
  trace('judge hits', { confidence: confidence ?? 'not asked' })
  return { ...ranking, excerpts, confidence }
}

/** Returns the best `limit` chunks without repeated passages. */
export async function rankChunks(
  collections: readonly Collection[],
  query: RankingRequest,
): Promise<RankedChunks> {
  const { mode, limit } = query
  const lanes = await searchLanes(collections, query, Math.max(weights.depth, limit))
  trace('search lanes', { fullText: lanes.byText.length, vector: lanes.byVector.length })
  const fused = fuse(lanes, ({ collection: { guideShare } }) => {
    if (mode !== 'hybrid') return { text: 1, vector: 1 }
    const text = mixed(guideShare, weights.text, weights.apiText)
    return { text, vector: 1 - text }
  })
  const ranked = await adjustRanking(fused, collections, {
    ...query,
    text: unswappedText(query.text, lanes.near),
    names: lanes.names,
  })
  const chunks = await groupChunks(ranked, collections, query)
  trace('rank chunks', { chunks: chunks.length })
  return { lanes, ranked, chunks, nearest: nearestOf(collections, lanes) }
}

/** Rates only the libraries of the best hits. The caller sees no others. */
async function rateAnswer(
  collections: readonly Collection[],
  text: string,
  ranked: RankedChunks,
): Promise<Confidence> {
  const best = ranked.chunks.slice(0, hitsToJudge).map(({ collection }) => collection)
  const levels = await rateCollections(
    collections.filter((one) => best.includes(one)),
    text,
    { ...ranked, nearest: ranked.nearest.filter((_, i) => best.includes(collections[i]!)) },
  )
  return levels.includes('high') ? 'high' : levels.includes('medium') ? 'medium' : 'weak'
}

/** Returns the collections that answer the query with high confidence, without excerpts. */
export async function answeringCollections(
  collections: readonly Collection[],
  query: HitsRequest,
): Promise<Collection[]> {
  const limit = chunksFor(collections, query)
  const ranked = await rankChunks(collections, { ...query, limit })
  const levels = await rateCollections(collections, query.text, ranked)
  return collections.filter((_, i) => levels[i] === 'high')
}

/** Number of extra chunks to rank and their maximum. Some chunks are merged into one hit. */
const spare = 5
const mostRanked = 2000

/** Ranks more chunks for several versions of a library, because they contain many copies. */
function chunksFor(collections: readonly Collection[], query: HitsRequest): number {
  const { limit, isJudged } = query
  const libraries = Map.groupBy(collections, ({ entry }) => entry.key)
  const nVersions = Math.max(0, ...[...libraries.values()].map((versions) => versions.length))
  const most = Math.min(mostRanked, (2 * limit + spare) * nVersions)
  return isJudged ? Math.max(most, hitsToJudge) : most
}

function nearestOf(
  collections: readonly Collection[],
  { byText, byVector }: Pick<Lanes, 'byText' | 'byVector'>,
): NearestScores[] {
  return collections.map((mine) => {
    const isMine = ({ collection }: Candidate) => collection === mine
    const cosines = byVector
      .filter(isMine)
      .map(({ cosine }) => cosine)
      .sort((a, b) => b - a)
    const fifth = Math.floor(mine.open.generation.chunks / 5)
    const rest = Math.min(weights.depth, fifth, cosines.length)
    const cosine = cosines[0] ?? null
    return {
      cosine,
      lead: cosine && cosine - cosines[Math.max(0, rest - 1)]!,
      fullText: greatest(byText.filter(isMine).map(({ bm25 }) => bm25)),
    }
  })
}

function greatest(scores: readonly number[]): number | null {
  return scores.length > 0 ? Math.max(...scores) : null
}
