import { queryTerms } from '../chunk/terms.ts'
import type { Kernels } from '../platform/kernels.ts'
import type { Ranked } from '../store/chunk-search.ts'
import type { ChunkRow } from '../store/chunk-table.ts'
import type { OpenGeneration } from '../store/reading.ts'
import { distinctRows } from './copies.ts'
import { addPageEvidence, fuseRanks } from './fuse.ts'

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
export type ScoredChunk = { score: number; generationIndex: number; row: ChunkRow }

/** Chosen on the development questions; docs/quality.md has the figures. */
const fusionK = 10
const weights = { text: 1, vector: 1.5 }
const evidenceDecay = 0.2
/** Candidates that each lane gives to the fusion. */
const depth = 100
/** Longer queries (a pasted file) are cut to their first distinct terms. */
const maxQueryTerms = 256

/** Asks every generation at once, by full text and by vector, and fuses the two lanes. */
export async function hybridSearch(
  generations: OpenGeneration[],
  query: HybridQuery,
): Promise<ScoredChunk[]> {
  const asked = generations.map((open, generationIndex) => ({ open, generationIndex }))
  const candidates = Math.max(depth, query.limit)
  const [byText, byVector] = await Promise.all([
    query.mode === 'vector' ? [] : textLane(asked, query.text, candidates),
    query.embedding === null ? [] : vectorLane(asked, query.embedding, candidates),
  ])
  const known = new Map([...byText, ...byVector].map((found) => [found.key, found]))
  const fused = fuseRanks(
    [
      { weight: weights.text, ids: byText.map((found) => found.key) },
      { weight: weights.vector, ids: byVector.map((found) => found.key) },
    ],
    fusionK,
  )
  const scored = fused.map(({ id, score }) => ({ ...known.get(id)!, score }))
  const page = ({ generationIndex, url }: Candidate) => `${generationIndex}/${url}`
  // One lane alone is shown as it is: it is what the other is measured against.
  const isHybrid = query.mode === 'hybrid'
  const ranked = isHybrid ? addPageEvidence(scored, { page, decay: evidenceDecay, depth }) : scored
  const best = ranked.slice(0, 2 * query.limit)
  const distinct = query.embedding === null ? best : await dropCopies(generations, best, query)
  return readChunks(generations, distinct.slice(0, query.limit))
}

type Asked = { open: OpenGeneration; generationIndex: number }
type Candidate = Ranked & { key: string; generationIndex: number }

async function textLane(asked: Asked[], text: string, limit: number): Promise<Candidate[]> {
  const terms = queryTerms(text, maxQueryTerms)
  if (terms.length === 0) return []
  return lane(asked, limit, (open) => open.fullText(terms, limit))
}

async function vectorLane(
  asked: Asked[],
  embedding: Promise<Float32Array>,
  limit: number,
): Promise<Candidate[]> {
  const embedded = asked.filter(({ open }) => open.generation.fingerprint !== null)
  if (embedded.length === 0) return []
  const vector = await embedding
  return lane(embedded, limit, (open) => open.nearest(vector, limit))
}

/** One list over all generations: scores of one kind of search are comparable enough to sort. */
async function lane(
  asked: Asked[],
  limit: number,
  ask: (open: OpenGeneration) => Promise<Ranked[]>,
): Promise<Candidate[]> {
  const found = await Promise.all(
    asked.map(async ({ open, generationIndex }) =>
      (await ask(open)).map((ranked) => ({
        ...ranked,
        generationIndex,
        key: `${generationIndex}/${ranked.rowId}`,
      })),
    ),
  )
  return found
    .flat()
    .sort((a, b) => b.score - a.score || (a.key < b.key ? -1 : 1))
    .slice(0, limit)
}

/** Without passages that are near-copies of a better one of the same generation. */
async function dropCopies(
  generations: OpenGeneration[],
  best: Candidate[],
  { kernels }: HybridQuery,
): Promise<Candidate[]> {
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
  best: Candidate[],
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
  return best.map(({ key, score, generationIndex }) => ({
    score,
    generationIndex,
    row: rows.get(key) as ChunkRow,
  }))
}
