import type { Kernels } from '../platform/kernels.ts'
import type { ChunkRow } from '../store/chunk-table.ts'
import type { OpenGeneration } from '../store/reading.ts'
import { distinctRows } from './copies.ts'
import { textLane, vectorLane, type Candidate, type Lanes } from './lanes.ts'
import { depth, rank, type Fused, type Why } from './rank.ts'

export type SearchMode = 'hybrid' | 'full-text' | 'vector'

export type HybridQuery = {
  text: string
  /** Null: no vector search (no model, or full-text mode). */
  embedding: Promise<Float32Array> | null
  mode: SearchMode
  limit: number
  kernels: Kernels
}

/** A ranked chunk and the generation (its position in the list asked) that holds it. */
export type ScoredChunk = { score: number; generationIndex: number; row: ChunkRow; why: Why }

/** What was nearest to the query in one generation; null where that lane found nothing. */
export type Nearest = { cosine: number | null; fullText: number | null }

/** `nearest` has one entry a generation, in the order asked. */
export type Ranking = { chunks: ScoredChunk[]; nearest: Nearest[] }

/** Asks every generation at once, by full text and by vector, and fuses the two lanes. */
export async function hybridSearch(
  generations: OpenGeneration[],
  query: HybridQuery,
): Promise<Ranking> {
  const lanes = await askLanes(generations, query)
  const { text, limit } = query
  const ranked = rank(topOf(lanes, Math.max(depth, limit)), {
    text,
    isHybrid: query.mode === 'hybrid',
    page: ({ generationIndex, url }) => {
      const pages = lanes.pages[generationIndex]
      return { names: pages?.names(url) ?? [], isChangelog: pages?.kind(url) === 'changelog' }
    },
  })
  const best = ranked.slice(0, 2 * limit)
  const distinct = query.embedding === null ? best : await dropCopies(generations, best, query)
  return {
    chunks: await readChunks(generations, distinct.slice(0, limit)),
    nearest: generations.map((_, i) => nearestOf(i, lanes)),
  }
}

async function askLanes(generations: OpenGeneration[], query: HybridQuery) {
  const candidates = Math.max(depth, query.limit)
  const asked = generations.map((open) => ({ open, pages: open.pageIndex() }))
  const [byText, byVector, pages] = await Promise.all([
    query.mode === 'vector' ? [] : textLane(asked, query.text, candidates),
    query.embedding === null ? [] : vectorLane(asked, query.embedding, candidates),
    Promise.all(asked.map((each) => each.pages)),
  ])
  return { byText, byVector, pages }
}

function topOf({ byText, byVector }: Lanes, limit: number): Lanes {
  return { byText: byText.slice(0, limit), byVector: byVector.slice(0, limit) }
}

function nearestOf(index: number, { byText, byVector }: Lanes): Nearest {
  const isMine = ({ generationIndex }: Candidate) => generationIndex === index
  const cosines = byVector.filter(isMine).map(({ cosine }) => cosine)
  return {
    cosine: cosines.length > 0 ? Math.max(...cosines) : null,
    fullText: byText.find(isMine)?.score ?? null,
  }
}

/** Without passages that are near-copies of a better one of the same generation. */
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
      return distinctRows(kernels, block, block.length / mine.length).map((row) => mine[row]!)
    }),
  )
  const kept = new Set(distinct.flat())
  return best.filter((candidate) => kept.has(candidate))
}

async function readChunks(
  generations: OpenGeneration[],
  best: Fused[],
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
