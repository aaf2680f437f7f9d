import type { OpenGeneration } from '../store/reading.ts'
import {
  rankCandidates,
  readChunks,
  type HybridQuery,
  type ScoredChunk,
} from './candidates.ts'
import { withCopies } from './copies.ts'
import type { Candidate, Lanes } from './lanes.ts'
import type { NearTerms } from './near-terms.ts'
import type { Fused } from './rank.ts'

export type { HybridQuery, ScoredChunk } from './candidates.ts'

/** What was nearest to the query in one generation; null where that lane found nothing. */
export type Nearest = { cosine: number | null; fullText: number | null }

/** `nearest` has one entry a generation, in the order asked. */
export type Ranking = { chunks: ScoredChunk[]; nearest: Nearest[]; near: NearTerms }

/** Asks every generation at once, by full text and by vector, and fuses the two lanes. */
export async function hybridSearch(
  generations: OpenGeneration[],
  query: HybridQuery,
): Promise<Ranking> {
  const { limit } = query
  const { lanes, ranked } = await rankCandidates(generations, query)
  const best = ranked.slice(0, 2 * limit)
  const keepsCopies = query.embedding === null || query.without?.includes('copies')
  const distinct = keepsCopies ? best : await dropCopies(generations, best, query)
  return {
    chunks: await readChunks(generations, distinct.slice(0, limit)),
    nearest: generations.map((_, i) => nearestOf(i, lanes)),
    near: lanes.near,
  }
}

function nearestOf(index: number, { byText, byVector }: Lanes): Nearest {
  const isMine = ({ generationIndex }: Candidate) => generationIndex === index
  return {
    cosine: greatest(byVector.filter(isMine).map(({ cosine }) => cosine)),
    fullText: greatest(byText.filter(isMine).map(({ bm25 }) => bm25)),
  }
}

function greatest(scores: readonly number[]): number | null {
  return scores.length > 0 ? Math.max(...scores) : null
}

/** Without near-copies of a better one of the same generation, which then says so. */
async function dropCopies(
  generations: OpenGeneration[],
  best: Fused[],
  { kernels }: HybridQuery,
): Promise<Fused[]> {
  const distinct = await Promise.all(
    generations.map(async (open, generationIndex) => {
      const mine = best.filter((candidate) => candidate.generationIndex === generationIndex)
      if (mine.length === 0) return mine
      const block = await open.embeddings(mine.map((candidate) => candidate.rowId))
      if (block === null) return mine
      return withCopies(kernels, block, block.length / mine.length).map(([kept, ...copies]) => {
        mine[kept!]!.why.copies = copies.map((row) => mine[row]!.url)
        return mine[kept!]!
      })
    }),
  )
  const kept = new Set(distinct.flat())
  return best.filter((candidate) => kept.has(candidate))
}
