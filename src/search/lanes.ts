import { queryTerms } from '../chunk/terms.ts'
import type { Ranked } from '../store/chunks/chunk-search.ts'
import { isZero } from '../store/embeddings.ts'
import type { Collection } from './collection.ts'
import { embeddedText, nearTerms, type NearTerms } from './near-terms.ts'
import { knownShares, nearShares } from './own-scales.ts'
import type { Query } from './query.ts'
import { weights } from './weights.ts'

/** A chunk that a lane found; `key` tells it from every other one. */
export type Candidate = Ranked & { key: string; collection: Collection }

/** What the best of its collection is worth beside the best of all. */
type Shared = { share: number }

/** `score` is what ranks: `bm25` as a share of its collection's best, mixed with its page's. */
type TextCandidate = Candidate & Shared & { bm25: number; pageBm25: number | null }

/** `score` is what ranks: the cosine of the chunk mixed with that of its page, where it has one. */
export type VectorCandidate = Candidate & Shared & { cosine: number; pageCosine: number | null }

/** What the lanes found in all collections; of each collection best first. */
export type Lanes = { byText: TextCandidate[]; byVector: VectorCandidate[]; near: NearTerms }

/** Longer queries (a pasted file) are cut to their first distinct terms. */
const maxQueryTerms = 256
/** Chunks that are weighed together with their page, for each one wanted. */
const overfetch = 3

type LaneQuery = Pick<Query, 'text' | 'mode'> & { depth: number }

/**
 * Asks both lanes for `depth` chunks of each collection. Meanwhile it is checked whether a word was
 * mistyped; where one was, the lanes are asked again.
 */
export async function askLanes(
  collections: readonly Collection[],
  { text, mode }: Pick<Query, 'text' | 'mode'>,
  depth: number,
): Promise<Lanes> {
  const query = { text, mode, depth }
  const typed = lanesOf(collections, query, new Map())
  typed.catch(() => {})
  const near = await nearTerms(collections, text)
  const lanes = near.size === 0 ? await typed : await lanesOf(collections, query, near)
  return { near, ...lanes }
}

async function lanesOf(
  collections: readonly Collection[],
  { text, mode, depth: limit }: LaneQuery,
  near: NearTerms,
): Promise<Omit<Lanes, 'near'>> {
  const meant = embeddedText(text, near)
  const [byText, byVector] = await Promise.all([
    mode === 'vector' ? [] : textLane(collections, text, { limit, near }),
    vectorLane(collections, meant, limit),
  ])
  const estimates = await Promise.all(collections.map((it) => estimated(it, meant, byText)))
  const estimate = withShares(estimates, collections.map((collection) =>
    byVector.find((it) => it.collection === collection)?.share ?? 1))
  return { byText, byVector: estimate.length === 0 ? byVector : ordered(byVector, estimate) }
}

/**
 * Of what words found, that which is not embedded yet, as near as its page is as far as that is
 * embedded: else its page's opening, which is, would be the better answer to each question.
 */
async function estimated(
  collection: Collection,
  text: string,
  byText: readonly TextCandidate[],
): Promise<VectorCandidate[]> {
  const { open, embed } = collection
  if (embed === null || open.generation.embedded === undefined) return []
  const mine = byText.filter((it) => it.collection === collection)
  const block = await open.embeddings(mine.map(({ rowId }) => rowId))
  const pages = await open.pageIndex()
  if (block === null || pages === null || mine.length === 0) return []
  const { vector } = await embed(text)
  return mine.flatMap(({ rowId, url }, row) => {
    const own = block.subarray(row * vector.length, (row + 1) * vector.length)
    const cosine = isZero(own) ? pages.cosine(url, vector) : null
    if (!cosine) return []
    const candidate = keyed(collection, { rowId, url, score: cosine })
    return [{ ...candidate, cosine, pageCosine: cosine, share: 1 }]
  })
}

function ordered(first: VectorCandidate[], more: VectorCandidate[]): VectorCandidate[] {
  return [...first, ...more].sort((a, b) => b.share * b.score - a.share * a.score)
}

/**
 * Candidates by full text, best first. Scores are shares of the best one of their collection, since
 * BM25 of two collections cannot be compared.
 */
export async function textLane(
  collections: readonly Collection[],
  text: string,
  { limit, near }: { limit: number; near: NearTerms },
): Promise<TextCandidate[]> {
  const others = [...near.values()].flat().map(({ term }) => term)
  const terms = [...new Set([...queryTerms(text, maxQueryTerms), ...others])]
  if (terms.length === 0) return []
  const lists = await Promise.all(
    collections.map(async (collection) => {
      const chunks = await collection.open.fullText(terms, overfetch * limit)
      const ofPage = (await collection.open.pageIndex())?.fullText(terms)
      const weighed = weighedByPage(chunks, ofPage ?? (() => null))
      return weighed.slice(0, limit).map(({ chunk, score, pageBm25 }) =>
        ({ ...keyed(collection, chunk), score, bm25: chunk.score, pageBm25, share: 1 }))
    }),
  )
  const shares = await knownShares(collections, terms, lists)
  return withShares(lists, shares)
}

/** Best first, as far as can be said across collections. */
function withShares<C extends Candidate & Shared>(
  lists: readonly (readonly C[])[],
  shares: readonly number[],
): C[] {
  const all = lists.flatMap((chunks, i) => chunks.map((chunk) => ({ ...chunk, share: shares[i]! })))
  return all.sort((a, b) => b.share * b.score - a.share * a.score)
}

type Weighed = { chunk: Ranked; score: number }

/** Best first. Where a collection knows no pages, its chunks count alone. */
function weighedByPage(
  chunks: readonly Ranked[],
  ofPage: (url: string) => number | null,
): (Weighed & { pageBm25: number | null })[] {
  const pages = chunks.map(({ url }) => ofPage(url))
  const best = Math.max(...chunks.map(({ score }) => score))
  const bestPage = Math.max(...pages.map((bm25) => bm25 ?? 0))
  const share = weights.pageText
  const weighed = chunks.map((chunk, i) => {
    const pageBm25 = pages[i]!
    const own = chunk.score / best
    const page = pageBm25 === null ? own : pageBm25 / bestPage
    return { chunk, pageBm25, score: (1 - share) * own + share * page }
  })
  return weighed.sort(bestFirst)
}

/** Candidates by cosine, best first. Collections without embeddings have no part in it. */
export async function vectorLane(
  collections: readonly Collection[],
  text: string,
  limit: number,
): Promise<VectorCandidate[]> {
  const lists = await Promise.all(
    collections.map(async (collection) => {
      const { open, embed } = collection
      if (embed === null || open.generation.fingerprint === null) return []
      const { vector } = await embed(text)
      const chunks = await open.nearest(vector, overfetch * limit)
      const pages = await open.pageIndex()
      const cosines = new Map([...new Set(chunks.map(({ url }) => url))].map((url) =>
        [url, pages?.cosine(url, vector) ?? null]))
      const weighed = chunks.map((chunk) => {
        const pageCosine = cosines.get(chunk.url)!
        return { chunk, pageCosine, score: mixed(chunk.score, pageCosine) }
      })
      return weighed.sort(bestFirst).slice(0, limit).map(({ chunk, score, pageCosine }) =>
        ({ ...keyed(collection, chunk), score, cosine: chunk.score, pageCosine, share: 1 }))
    }),
  )
  return withShares(lists, nearShares(collections, lists.map(([best]) => best?.score ?? null)))
}

export function keyed(collection: Collection, ranked: Ranked): Candidate {
  return { ...ranked, collection, key: `${collection.open.generation.id}/${ranked.rowId}` }
}

/** The cosine of a chunk with that of its page, where it has one. */
function mixed(cosine: number, pageCosine: number | null): number {
  const share = weights.pageVector
  return pageCosine === null ? cosine : (1 - share) * cosine + share * pageCosine
}

/** Of equal scores the first row is best. */
function bestFirst(a: Weighed, b: Weighed): number {
  return b.score - a.score || Number(a.chunk.rowId - b.chunk.rowId)
}
