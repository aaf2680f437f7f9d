import type { Collection } from './collection.ts'
import { emptyScoreParts, type Fused } from './fuse.ts'
import { readChunks, type ScoredChunk } from './group.ts'
import { searchLanes, type Candidate, type Lanes } from './lanes.ts'
import type { RankingRequest } from './query.ts'
import { rankCandidates, rerankedChunks } from './search.ts'

type PageExplanation = {
  /** Rank of the page among all ranked pages; null if no lane found any of its chunks. */
  place: number | null
  /** Number of ranked pages. */
  nPages: number
  /** The best chunk of all pages; null if nothing was found. */
  first: ScoredChunk | null
  /**
   * The best chunk of the page; null if no lane finds one at any depth. Unranked chunks score 0.
   */
  best: ScoredChunk | null
  /** Null if no reranker sorts the hits of the query. */
  reranked: RerankedPlace | null
}

/**
 * The place of a page in the reranker's order. `place` is null if the reranker gets no passage of
 * the page, `first` is the URL of the first page, and `failure` is the reason why the reranker did
 * not answer.
 */
export type RerankedPlace = {
  place: number | null
  nPages: number
  first: string | null
  failure: string | null
}

/**
 * A page and the collections (`holders`) that contain it. The collection in which it ranks best
 * counts.
 */
type PageHolders = { url: string; holders: readonly Collection[] }

type ExplainedRequest = Parameters<typeof rerankedChunks>[1]

/** Explains where the page with this URL ranks among everything that the query finds. */
export async function explainPage(
  collections: readonly Collection[],
  query: ExplainedRequest,
  { url, holders }: PageHolders,
): Promise<PageExplanation> {
  const { ranked } = await rankCandidates(collections, query)
  const isIts = (candidate: Place) =>
    candidate.url === url && holders.includes(candidate.collection)
  const pages = pagesOf(ranked)
  const place = pages.findIndex(isIts)
  const best = ranked.find(isIts) ?? bestUnranked(await deepLanes(collections, query), isIts)
  const shown = [ranked[0], best].filter((one) => one !== undefined)
  const read = await readChunks(shown)
  return {
    place: place < 0 ? null : place + 1,
    nPages: pages.length,
    first: ranked.length > 0 ? read[0]! : null,
    best: best === undefined ? null : read.at(-1)!,
    reranked: await rerankedPlace(collections, query, isIts),
  }
}

type Place = Pick<Candidate, 'collection' | 'url'>

/** Returns each page once, in the order of its best passage. */
function pagesOf(passages: readonly Place[]): Place[] {
  const key = ({ collection, url }: Place) => `${collection.open.generation.id}/${url}`
  return [...Map.groupBy(passages, key).values()].map(([best]) => best!)
}

async function rerankedPlace(
  collections: readonly Collection[],
  query: ExplainedRequest,
  isIts: (place: Place) => boolean,
): Promise<RerankedPlace | null> {
  const sorted = await rerankedChunks(collections, query)
  if (sorted === null) return null
  const pages = pagesOf(sorted.chunks.map(({ collection, row }) => ({ collection, url: row.url })))
  const place = pages.findIndex(isIts)
  return {
    place: place < 0 ? null : place + 1,
    nPages: pages.length,
    first: pages[0]?.url ?? null,
    failure: sorted.failure,
  }
}

/** Searches the lanes deep enough to find every chunk that they can find. */
function deepLanes(collections: readonly Collection[], query: RankingRequest): Promise<Lanes> {
  const chunks = collections.map(({ open }) => open.generation.chunks)
  return searchLanes(collections, query, Math.max(...chunks))
}

/** Returns the best chunk of the page from the deep lanes; the vector lane goes first. */
function bestUnranked(
  { byText, byVector }: Lanes,
  isIts: (place: Place) => boolean,
): Fused | undefined {
  const candidate: Candidate | undefined = byVector.find(isIts) ?? byText.find(isIts)
  if (candidate === undefined) return undefined
  const why = emptyScoreParts()
  const textRank = byText.findIndex(({ key }) => key === candidate.key)
  const vectorRank = byVector.findIndex(({ key }) => key === candidate.key)
  if (textRank >= 0) {
    const { bm25: score, pageBm25: pageScore } = byText[textRank]!
    why.fullText = { rank: textRank + 1, score, pageScore, points: 0 }
  }
  if (vectorRank >= 0) {
    const { cosine, pageCosine } = byVector[vectorRank]!
    why.vector = { rank: vectorRank + 1, cosine, pageCosine, points: 0 }
  }
  return { ...candidate, score: 0, why }
}
