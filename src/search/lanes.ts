import { queryTerms } from '../chunk/terms.ts'
import type { Ranked } from '../store/chunks/chunk-search.ts'
import type { PageIndex } from '../store/pages/page-index.ts'
import type { OpenGeneration } from '../store/reading.ts'
import type { NearTerms } from './near-terms.ts'
import { knownShares, nearShares } from './own-scales.ts'
import { weights } from './weights.ts'

/** A chunk that a lane found, in the generation at this position of the list asked. */
export type Candidate = Ranked & { key: string; generationIndex: number }

/** What the best of its generation is worth beside the best of all. */
type Shared = { share: number }

/** `score` is what ranks: `bm25` as a share of its generation's best, mixed with its page's. */
type TextCandidate = Candidate & Shared & { bm25: number; pageBm25: number | null }

/** `score` is what ranks: the cosine of the chunk mixed with that of its page, where it has one. */
export type VectorCandidate = Candidate & Shared & { cosine: number; pageCosine: number | null }

/** What the lanes found in all generations; of each generation best first. */
export type Lanes = { byText: TextCandidate[]; byVector: VectorCandidate[] }

export type Asked = { open: OpenGeneration; pages: Promise<PageIndex | null> }

/** Longer queries (a pasted file) are cut to their first distinct terms. */
const maxQueryTerms = 256
/** Chunks that are weighed together with their page, for each one wanted. */
const overfetch = 3

/** The best of each generation; BM25 of two cannot be compared. */
export async function textLane(
  asked: Asked[],
  text: string,
  { limit, near }: { limit: number; near: NearTerms },
): Promise<TextCandidate[]> {
  const others = [...near.values()].flat().map(({ term }) => term)
  const terms = [...new Set([...queryTerms(text, maxQueryTerms), ...others])]
  if (terms.length === 0) return []
  const found = await Promise.all(
    asked.map(async ({ open, pages }, i) => {
      const chunks = keyed(i, await open.fullText(terms, overfetch * limit))
      const ofPage = (await pages)?.fullText(terms)
      const weighed = weighedByPage(chunks.map((chunk) => {
        const pageBm25 = ofPage?.(chunk.url) ?? null
        return { ...chunk, bm25: chunk.score, pageBm25, share: 1 }
      }))
      return weighed.slice(0, limit)
    }),
  )
  const shares = await knownShares(asked, terms, found)
  return withShares(found, shares)
}

/** Best first, as far as can be said across generations. */
function withShares<Found extends Candidate & Shared>(
  found: readonly (readonly Found[])[],
  shares: readonly number[],
): Found[] {
  const all = found.flatMap((chunks, i) => chunks.map((chunk) => ({ ...chunk, share: shares[i]! })))
  return all.sort((a, b) => b.share * b.score - a.share * a.score || (a.key < b.key ? -1 : 1))
}

/** Best first. Where a generation knows no pages, its chunks count alone. */
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

/** The same by cosines. Generations without embeddings have no part in it. */
export async function vectorLane(
  asked: Asked[],
  embedding: Promise<Float32Array>,
  limit: number,
): Promise<VectorCandidate[]> {
  if (asked.every(({ open }) => open.generation.fingerprint === null)) return []
  const vector = await embedding
  const found = await Promise.all(
    asked.map(async ({ open, pages }, i) => {
      if (open.generation.fingerprint === null) return []
      const chunks = keyed(i, await open.nearest(vector, overfetch * limit))
      const known = await pages
      const weighed = chunks.map((chunk) => mixed(chunk, known?.cosine(chunk.url, vector) ?? null))
      return weighed.sort(bestFirst).slice(0, limit)
    }),
  )
  return withShares(found, nearShares(asked, found.map(([best]) => best?.score ?? null)))
}

function keyed(generationIndex: number, found: Ranked[]): Candidate[] {
  return found.map((ranked) => ({
    ...ranked,
    generationIndex,
    key: `${generationIndex}/${ranked.rowId}`,
  }))
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
