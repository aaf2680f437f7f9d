import { queryTerms } from '../chunk/terms.ts'
import type { Ranked } from '../store/chunks/chunk-search.ts'
import type { PageIndex } from '../store/pages/page-index.ts'
import type { OpenGeneration } from '../store/reading.ts'
import { askedName } from './name.ts'
import type { NearTerms } from './near-terms.ts'

/** A chunk that a lane found, in the generation at this position of the list asked. */
export type Candidate = Ranked & { key: string; generationIndex: number }

/** `score` is what ranks: `bm25` as a share of the best, mixed with that of its page. */
type TextCandidate = Candidate & { bm25: number; pageBm25: number | null }

/** `score` is what ranks: the cosine of the chunk mixed with that of its page, where it has one. */
export type VectorCandidate = Candidate & { cosine: number; pageCosine: number | null }

/** What the lanes found in all generations, each best first. */
export type Lanes = { byText: TextCandidate[]; byVector: VectorCandidate[] }

export type Asked = { open: OpenGeneration; pages: Promise<PageIndex | null> }

/** Longer queries (a pasted file) are cut to their first distinct terms. */
const maxQueryTerms = 256
/** What the page counts in each lane; by its words only where a question is asked. */
const pageShares = { text: 0.3, vector: 0.2 }
/** Chunks that are weighed together with their page, for each one wanted. */
const overfetch = 2

/** The best of each generation: scores of one kind of search are comparable enough to sort. */
export async function textLane(
  asked: Asked[],
  text: string,
  { limit, near }: { limit: number; near: NearTerms },
): Promise<TextCandidate[]> {
  const others = [...near.values()].flat().map(({ term }) => term)
  const terms = [...new Set([...queryTerms(text, maxQueryTerms), ...others])]
  if (terms.length === 0) return []
  // A page that has the name in many places is not better than the one that is called so.
  const asksName = askedName(text) !== null
  const found = await Promise.all(
    asked.map(async ({ open, pages }, i) => {
      const chunks = keyed(i, await open.fullText(terms, overfetch * limit))
      const ofPage = asksName ? null : (await pages)?.fullText(terms)
      return chunks.map((chunk) => {
        return { ...chunk, bm25: chunk.score, pageBm25: ofPage?.(chunk.url) ?? null }
      })
    }),
  )
  const all = weighedByPage(found.flat())
  return asked.flatMap((_, i) => all.filter((it) => it.generationIndex === i).slice(0, limit))
    .sort(bestFirst)
}

/** Best first. Where a generation knows no pages, its chunks count alone. */
function weighedByPage(found: readonly TextCandidate[]): TextCandidate[] {
  const best = Math.max(...found.map(({ bm25 }) => bm25))
  const bestPage = Math.max(...found.map(({ pageBm25 }) => pageBm25 ?? 0))
  const weighed = found.map((chunk) => {
    const own = chunk.bm25 / best
    const { text } = pageShares
    const ofPage = chunk.pageBm25 === null ? own : chunk.pageBm25 / bestPage
    return { ...chunk, score: (1 - text) * own + text * ofPage }
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
  return found.flat().sort(bestFirst)
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
  const share = pageShares.vector
  const score = pageCosine === null ? cosine : (1 - share) * cosine + share * pageCosine
  return { ...chunk, score, cosine, pageCosine }
}

function bestFirst(a: Candidate, b: Candidate): number {
  return b.score - a.score || (a.key < b.key ? -1 : 1)
}
