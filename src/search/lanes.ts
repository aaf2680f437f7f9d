import { indexTermsOf, queryTerms } from '../chunk/terms.ts'
import type { ChunkHit } from '../store/chunks/chunk-search.ts'
import { isZero } from '../store/lance.ts'
import { toCandidate, type Candidate } from './candidate.ts'
import {
  findGuideAndApiHits,
  firstGuideAndApiHits,
  guideHits,
  haveFewGuides,
  mixed,
  pageShare,
} from './guides-and-api.ts'
import type { Collection } from './collection.ts'
import { defaultCalibration, mean } from './confidence.ts'
import { textToEmbed, findNearTerms, type NearTerms } from './near-terms.ts'
import { spelledNames } from './name/spelled-names.ts'
import { isSigns } from './name/name.ts'
import type { RankingRequest } from './query.ts'
import { libraryWords } from './translation/library-words.ts'
import { weights } from './weights.ts'

/** This collection's best hit relative to the best hit of all, to make scores comparable. */
type WithShare = { share: number }

/** `score` decides the rank: the share of the best `bm25`, mixed with the page's score. */
type TextCandidate = Candidate & WithShare & { bm25: number; pageBm25: number | null }

/** `score` decides the rank: the chunk's cosine, mixed with its page's cosine if there is one. */
type VectorCandidate = Candidate & WithShare & { cosine: number; pageCosine: number | null }

/**
 * Both lanes' candidates from all collections, best first within each collection. `names` contains
 * the index terms of names that the query spells as separate words.
 */
export type Lanes = {
  byText: TextCandidate[]
  byVector: VectorCandidate[]
  near: NearTerms
  names: readonly string[]
}

/** Only this many terms of a longer query, such as a pasted file, are searched. */
const maxQueryTerms = 256
/** Number of chunks scored together with their page, per requested chunk. */
const overfetchFactor = 3

type LaneRequest = Pick<RankingRequest, 'text' | 'mode'> & Pick<Lanes, 'names'> & { depth: number }

/**
 * Searches both lanes for `depth` chunks per collection. Meanwhile, checks the query for mistyped
 * words. If there are any, searches the lanes again with the corrected terms.
 */
export async function searchLanes(
  collections: readonly Collection[],
  { text, mode, isEnglishWord }: Pick<RankingRequest, 'text' | 'mode' | 'isEnglishWord'>,
  depth: number,
): Promise<Lanes> {
  const names = await spelledNames(collections, text)
  const query = { text, mode, depth, names }
  const uncorrected = lanesOf(collections, query, new Map())
  uncorrected.catch(() => {})
  const near = await findNearTerms(collections, text, isEnglishWord)
  const lanes = near.size === 0 ? await uncorrected : await lanesOf(collections, query, near)
  return { near, names, ...lanes }
}

async function lanesOf(
  collections: readonly Collection[],
  { text, mode, depth: limit, names }: LaneRequest,
  near: NearTerms,
): Promise<Pick<Lanes, 'byText' | 'byVector'>> {
  const words = haveFewGuides(collections) ? libraryWords(text) : []
  const embeddedText = [textToEmbed(text, near), ...words].join(' ')
  const terms = [...names, ...words.flatMap(indexTermsOf)]
  const [byText, byVector] = await Promise.all([
    mode === 'vector' ? [] : textLane(collections, text, { limit, near, names: terms }),
    vectorLane(collections, embeddedText, limit),
  ])
  const estimates = await Promise.all(
    collections.map((it) => estimateCosines(it, embeddedText, byText)),
  )
  const estimate = withShares(
    estimates,
    collections.map(
      (collection) => byVector.find((it) => it.collection === collection)?.share ?? 1,
    ),
  )
  return { byText, byVector: estimate.length === 0 ? byVector : mergeSorted(byVector, estimate) }
}

/**
 * Estimates the cosine of a full-text hit that has no embedding from its page's mean embedding.
 * Otherwise the page's first chunk, which is embedded first, would win every query.
 */
async function estimateCosines(
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
    const candidate = toCandidate(collection, { rowId, url, score: cosine })
    return [{ ...candidate, cosine, pageCosine: cosine, share: 1 }]
  })
}

function mergeSorted(first: VectorCandidate[], more: VectorCandidate[]): VectorCandidate[] {
  return [...first, ...more].sort((a, b) => b.share * b.score - a.share * a.score)
}

/**
 * Returns the candidates of full-text search, best first. Scores are relative to the best score in
 * the same collection because BM25 scores of different collections are not comparable.
 */
export async function textLane(
  collections: readonly Collection[],
  text: string,
  { limit, near, names = [] }: { limit: number; near: NearTerms; names?: Lanes['names'] },
): Promise<TextCandidate[]> {
  const others = [...near.values()].flat().map(({ term }) => term)
  const terms = [...new Set([...queryTerms(text, maxQueryTerms), ...others, ...names])]
  const isLiteral = isSigns(text)
  if (terms.length === 0 && !isLiteral) return []
  const lists = await Promise.all(
    collections.map(async (collection) => {
      const { open, guideShare } = collection
      const chunks = await findGuideAndApiHits(
        { limit: overfetchFactor * limit, guideShare },
        (most) => (isLiteral ? open.literal(text.trim(), most) : open.fullText(terms, most)),
      )
      const ofPage = (await open.pageIndex())?.fullText(terms)
      const ranking = rankWithPages(chunks, { ofPage: ofPage ?? (() => null), guideShare })
      return firstGuideAndApiHits(ranking, limit).map(({ bm25, pageBm25, ...chunk }) => ({
        ...toCandidate(collection, chunk),
        bm25,
        pageBm25,
        share: 1,
      }))
    }),
  )
  const shares = await coverageShares(collections, terms, lists)
  return withShares(lists, shares)
}

/** Sets the shares and sorts by score times share, best first. */
function withShares<C extends Candidate & WithShare>(
  lists: readonly (readonly C[])[],
  shares: readonly number[],
): C[] {
  lists.forEach((chunks, i) => {
    for (const chunk of chunks) chunk.share = shares[i]!
  })
  // A single list is already sorted and its share is 1.
  const all = lists.flat()
  return lists.length === 1 ? all : all.sort((a, b) => b.share * b.score - a.share * a.score)
}

/**
 * Mixes the scores of chunks and their pages, and sorts the chunks, best first. Without a page
 * index, only the chunk's own score counts.
 */
function rankWithPages(
  chunks: readonly ChunkHit[],
  { ofPage, guideShare }: { ofPage(url: string): number | null; guideShare: number },
): (ChunkHit & { bm25: number; pageBm25: number | null })[] {
  const pages = chunks.map(({ url }) => ofPage(url))
  const scored = chunks.map(({ url, score }, i) => ({ url, score, page: pages[i] ?? 0 }))
  const bestOf = (score: (hit: (typeof scored)[number]) => number) =>
    mixed(guideShare, greatest(guideHits(scored).map(score)), greatest(scored.map(score)))
  const best = bestOf(({ score }) => score)
  const bestPage = bestOf(({ page }) => page)
  const ranking = chunks.map((chunk, i) => {
    const share = weights.pageText * pageShare(chunk.url, guideShare)
    const pageBm25 = pages[i]!
    const own = chunk.score / best
    const page = pageBm25 === null ? own : pageBm25 / bestPage
    const score = (1 - share) * own + share * page
    return { ...chunk, score, bm25: chunk.score, pageBm25 }
  })
  return ranking.sort(bestFirst)
}

function greatest(values: readonly number[]): number {
  return Math.max(...values)
}

/** Returns the candidates, highest cosine first. Collections without embeddings have none. */
export async function vectorLane(
  collections: readonly Collection[],
  text: string,
  limit: number,
): Promise<VectorCandidate[]> {
  const lists = await Promise.all(
    collections.map(async (collection) => {
      const { open, embed, guideShare } = collection
      if (embed === null || open.generation.fingerprint === null) return []
      const { vector } = await embed(text)
      const chunks = await findGuideAndApiHits(
        { limit: overfetchFactor * limit, guideShare },
        (most) => open.nearest(vector, most),
      )
      const pages = await open.pageIndex()
      const cosines = new Map(
        [...new Set(chunks.map(({ url }) => url))].map((url) => [
          url,
          pages?.cosine(url, vector) ?? null,
        ]),
      )
      const ranking = chunks.map((chunk) => {
        const pageCosine = cosines.get(chunk.url)!
        const share = weights.pageVector * pageShare(chunk.url, guideShare)
        const score = mixWithPage(chunk.score, pageCosine, share)
        return { ...chunk, score, cosine: chunk.score, pageCosine }
      })
      const best = firstGuideAndApiHits(ranking.sort(bestFirst), limit)
      return best.map(({ cosine, pageCosine, ...chunk }) => ({
        ...toCandidate(collection, chunk),
        cosine,
        pageCosine,
        share: 1,
      }))
    }),
  )
  return withShares(
    lists,
    cosineShares(
      collections,
      lists.map(([best]) => best?.score ?? null),
    ),
  )
}

function mixWithPage(cosine: number, pageCosine: number | null, share: number): number {
  return pageCosine === null ? cosine : (1 - share) * cosine + share * pageCosine
}

/** Orders by score, then by row. */
function bestFirst(a: ChunkHit, b: ChunkHit): number {
  return b.score - a.score || Number(a.rowId - b.rowId)
}

/** Limits for comparing libraries: query terms, pages per library, and best pages that count. */
const most = { terms: 64, pages: 20, counted: 5 }
/** Minimum share of pages with a term, which limits the rarity of unknown terms. */
const least = 0.001

/**
 * Returns how much of the query each collection's pages cover, relative to the best collection,
 * squared. The best page counts half and the mean of the five best pages the other half, because a
 * library about the subject has several pages about it. This value compares hits of different
 * collections because BM25 grows with the number of chunks. A term counts more if fewer pages
 * contain it, and all collections have the same influence on this weight. `lists` has each
 * collection's best chunks, best first.
 */
export async function coverageShares(
  collections: readonly Pick<Collection, 'open'>[],
  terms: readonly string[],
  lists: readonly (readonly { url: string }[])[],
): Promise<number[]> {
  if (collections.length <= 1) return collections.map(() => 1)
  const indexes = await Promise.all(collections.map(({ open }) => open.pageIndex()))
  const pageIndexes = indexes.filter((pages) => pages !== null)
  const termWeights = terms.slice(0, most.terms).map((term) => {
    // The share of pages with the term in each collection. BM25's rarity is the negative logarithm
    // of such a share.
    const shares = pageIndexes.map((pages) =>
      pages.knows(term) ? Math.exp(-pages.rarity(term)) : 0,
    )
    return { term, weight: -Math.log(Math.max(least, Math.min(1, mean(shares)))) }
  })
  const coverages = indexes.map((pages, i) => {
    if (pages === null) return null
    const urls = [...new Set(lists[i]!.map(({ url }) => url))].slice(0, most.pages)
    const ofTerms = termWeights.map(({ term, weight }) => ({ weight, of: pages.fullText([term]) }))
    const sums = urls.map((url) =>
      ofTerms.reduce((sum, { weight, of }) => sum + (of(url) ? weight : 0), 0),
    )
    const counted = sums.sort((a, b) => b - a).slice(0, most.counted)
    return ((counted[0] ?? 0) + mean(counted)) / 2
  })
  const best = Math.max(0, ...coverages.map((sum) => sum ?? 0))
  // A collection without a page index counts as much as the best one.
  return coverages.map((sum) => (sum === null || best === 0 ? 1 : (sum / best) ** 2))
}

/**
 * Returns the squared weight of each collection's best cosine: 1 for the highest, and 0 for one
 * that is at least `span` lower. Each collection's `Calibration` first maps its cosines to the
 * scale of an average collection. Without a calibration, the model's default shifts them because
 * the best of a few chunks is farther from any query than the best of thousands. `best` is null for
 * a collection that found nothing.
 */
export function cosineShares(
  collections: readonly Pick<Collection, 'open'>[],
  best: readonly (number | null)[],
): number[] {
  const scales = collections.map(({ open }) => scaleOf(open.generation))
  const present = scales.filter((it) => it !== null)
  const foreign = mean(present.map((it) => it.foreign))
  const span = mean(present.flatMap((it) => it.span ?? []))
  const mapped = best.map((cosine, i) => {
    const scale = scales[i]
    if (cosine === null || !scale) return cosine
    return foreign + (cosine - scale.foreign) * (scale.span === null ? 1 : span / scale.span)
  })
  const most = Math.max(...mapped.map((cosine) => cosine ?? -Infinity))
  return mapped.map((cosine) => Math.max(0, 1 - (most - (cosine ?? -Infinity)) / weights.span) ** 2)
}

/**
 * Returns the cosine of unrelated text and its distance to the cosine of the library's headings.
 * The distance is null if it was not measured. The result is null if the model is unknown.
 */
function scaleOf({
  calibration,
  fingerprint,
  chunks,
}: Collection['open']['generation']): { foreign: number; span: number | null } | null {
  if (calibration !== undefined && calibration.own > calibration.foreign)
    return { foreign: calibration.foreign, span: calibration.own - calibration.foreign }
  const usual = fingerprint ? defaultCalibration(fingerprint.model, chunks) : null
  return usual && { foreign: usual.foreign, span: null }
}
