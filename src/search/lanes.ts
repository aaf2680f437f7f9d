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

type Asked = Pick<Query, 'text' | 'mode'> & { depth: number }

/**
 * Both lanes, `depth` chunks of each collection. They are asked while it is looked whether a word
 * was mistyped, and once more where one was.
 */
export async function askLanes(
  collections: readonly Collection[],
  { text, mode }: Pick<Query, 'text' | 'mode'>,
  depth: number,
): Promise<Lanes> {
  const asked = { text, mode, depth }
  const typed = lanesOf(collections, asked, new Map())
  typed.catch(() => {})
  const near = await nearTerms(collections, text)
  const found = near.size === 0 ? await typed : await lanesOf(collections, asked, near)
  return { near, ...found }
}

async function lanesOf(
  collections: readonly Collection[],
  { text, mode, depth: limit }: Asked,
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
  return mine.flatMap((found, row) => {
    const own = block.subarray(row * vector.length, (row + 1) * vector.length)
    const cosine = isZero(own) ? pages.cosine(found.url, vector) : null
    return cosine ? [mixed({ ...found, score: cosine }, cosine)] : []
  })
}

function ordered(found: VectorCandidate[], more: VectorCandidate[]): VectorCandidate[] {
  return [...found, ...more].sort((a, b) => b.share * b.score - a.share * a.score)
}

/** The best of each collection; BM25 of two cannot be compared. */
export async function textLane(
  collections: readonly Collection[],
  text: string,
  { limit, near }: { limit: number; near: NearTerms },
): Promise<TextCandidate[]> {
  const others = [...near.values()].flat().map(({ term }) => term)
  const terms = [...new Set([...queryTerms(text, maxQueryTerms), ...others])]
  if (terms.length === 0) return []
  const found = await Promise.all(
    collections.map(async (collection) => {
      const chunks = keyed(collection, await collection.open.fullText(terms, overfetch * limit))
      const ofPage = (await collection.open.pageIndex())?.fullText(terms)
      const weighed = weighedByPage(chunks.map((chunk) => {
        const pageBm25 = ofPage?.(chunk.url) ?? null
        return { ...chunk, bm25: chunk.score, pageBm25, share: 1 }
      }))
      return weighed.slice(0, limit)
    }),
  )
  const shares = await knownShares(collections, terms, found)
  return withShares(found, shares)
}

/** Best first, as far as can be said across collections. */
function withShares<Found extends Candidate & Shared>(
  found: readonly (readonly Found[])[],
  shares: readonly number[],
): Found[] {
  const all = found.flatMap((chunks, i) => chunks.map((chunk) => ({ ...chunk, share: shares[i]! })))
  return all.sort((a, b) => b.share * b.score - a.share * a.score)
}

/** Best first. Where a collection knows no pages, its chunks count alone. */
function weighedByPage(found: readonly TextCandidate[]): TextCandidate[] {
  const best = Math.max(...found.map(({ bm25 }) => bm25))
  const bestPage = Math.max(...found.map(({ pageBm25 }) => pageBm25 ?? 0))
  const weighed = found.map((chunk) => {
    const own = chunk.bm25 / best
    const share = weights.pageText
    const ofPage = chunk.pageBm25 === null ? own : chunk.pageBm25 / bestPage
    return { ...chunk, score: (1 - share) * own + share * ofPage }
  })
  return weighed.sort(bestFirst)
}

/** Candidates by cosine, best first. Collections without embeddings have no part in it. */
export async function vectorLane(
  collections: readonly Collection[],
  text: string,
  limit: number,
): Promise<VectorCandidate[]> {
  const found = await Promise.all(
    collections.map(async (collection) => {
      const { open, embed } = collection
      if (embed === null || open.generation.fingerprint === null) return []
      const { vector } = await embed(text)
      const chunks = keyed(collection, await open.nearest(vector, overfetch * limit))
      const known = await open.pageIndex()
      const weighed = chunks.map((chunk) => mixed(chunk, known?.cosine(chunk.url, vector) ?? null))
      return weighed.sort(bestFirst).slice(0, limit)
    }),
  )
  return withShares(found, nearShares(collections, found.map(([best]) => best?.score ?? null)))
}

function keyed(collection: Collection, found: readonly Ranked[]): Candidate[] {
  return found.map((ranked) => ({ ...ranked, collection, key: candidateKey(collection, ranked) }))
}

export function candidateKey({ open }: Collection, { rowId }: Pick<Ranked, 'rowId'>): string {
  return `${open.generation.id}/${rowId}`
}

function mixed(chunk: Candidate, pageCosine: number | null): VectorCandidate {
  const cosine = chunk.score
  const share = weights.pageVector
  const score = pageCosine === null ? cosine : (1 - share) * cosine + share * pageCosine
  return { ...chunk, score, cosine, pageCosine, share: 1 }
}

function bestFirst(a: Candidate, b: Candidate): number {
  return b.score - a.score || (a.key < b.key ? -1 : 1)
}
