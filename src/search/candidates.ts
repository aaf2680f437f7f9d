import type { Kernels } from '../platform/kernels/kernels.ts'
import type { ChunkRow } from '../store/chunks/chunk-table.ts'
import type { OpenGeneration } from '../store/reading.ts'
import type { Ablation } from './ablation.ts'
import { textLane, vectorLane, type Candidate, type Lanes } from './lanes.ts'
import { bestFirst, namesFirst } from './names-first.ts'
import { nearTerms, type NearTerms } from './near-terms.ts'
import { rank, type Fused, type Why } from './rank.ts'
import { weights } from './weights.ts'

export type HybridQuery = {
  text: string
  /** Null: no vector search (no model, or full-text mode). */
  embedding: Promise<Float32Array> | null
  /** One lane alone is for measuring the other. */
  mode: 'hybrid' | 'full-text' | 'vector'
  limit: number
  kernels: Kernels
  without?: readonly Ablation[]
  /** What the hits of each generation count; 1 unless given. */
  gains?: readonly number[]
}

/** A ranked chunk and the generation (its position in the list asked) that holds it. */
export type ScoredChunk = { score: number; generationIndex: number; row: ChunkRow; why: Why }

/** What the lanes of all generations found, and the best of it as one list, best first. */
export async function rankCandidates(
  generations: readonly OpenGeneration[],
  query: HybridQuery,
): Promise<{ lanes: Lanes & { near: NearTerms }; ranked: Fused[] }> {
  const candidates = Math.max(weights.depth, query.limit)
  const lanes = await askLanes(generations, query, candidates)
  const isChangelog = ({ generationIndex, url }: Candidate) =>
    lanes.pages[generationIndex]?.kind(url) === 'changelog'
  const ranking = rank(lanes, {
    text: query.text,
    isHybrid: query.mode === 'hybrid',
    without: query.without ?? [],
    isChangelog,
  })
  const scored = withGains(ranking, query)
  const isExact = query.mode === 'hybrid' && !query.without?.includes('exact')
  const { text, limit } = query
  const ranked = isExact
    ? await namesFirst(generations, scored, { text, limit, isChangelog })
    : scored
  return { lanes, ranked }
}

function withGains(ranked: Fused[], { gains, mode }: HybridQuery): Fused[] {
  if (gains === undefined || mode !== 'hybrid') return ranked
  for (const found of ranked) {
    found.why.library = gains[found.generationIndex]!
    found.score *= found.why.library
  }
  return ranked.sort(bestFirst)
}

export async function askLanes(
  generations: readonly OpenGeneration[],
  { text, embedding, mode }: Pick<HybridQuery, 'text' | 'embedding' | 'mode'>,
  candidates: number,
) {
  const asked = generations.map((open) => ({ open, pages: open.pageIndex() }))
  const mistyped = nearTerms(asked, text)
  const textual = async () => textLane(asked, text, { limit: candidates, near: await mistyped })
  const [near, byText, byVector, pages] = await Promise.all([
    mistyped,
    mode === 'vector' ? [] : textual(),
    embedding === null ? [] : vectorLane(asked, embedding, candidates),
    Promise.all(asked.map((each) => each.pages)),
  ])
  return { near, byText, byVector, pages }
}

export async function readChunks(
  generations: readonly OpenGeneration[],
  best: readonly Fused[],
): Promise<ScoredChunk[]> {
  const rows = new Map<string, ChunkRow>()
  await Promise.all(
    generations.map(async (open, generationIndex) => {
      const mine = best.filter((candidate) => candidate.generationIndex === generationIndex)
      if (mine.length === 0) return
      const read = await open.chunks(mine.map((candidate) => candidate.rowId))
      mine.forEach((candidate, i) => rows.set(candidate.key, read[i] as ChunkRow))
    }),
  )
  return best.map(({ key, score, generationIndex, why }) => ({
    score,
    why,
    generationIndex,
    row: rows.get(key) as ChunkRow,
  }))
}
