import { queryTerms } from '../chunk/terms.ts'
import type { Ranked } from '../store/chunk-search.ts'
import type { PageIndex } from '../store/page-index.ts'
import type { OpenGeneration } from '../store/reading.ts'

/** A chunk that a lane found, in the generation at this position of the list asked. */
export type Candidate = Ranked & { key: string; generationIndex: number }

/** `score` is what ranks: the cosine of the chunk mixed with that of its page, where it has one. */
export type VectorCandidate = Candidate & { cosine: number; pageCosine: number | null }

/** What the lanes found in all generations, each best first. */
export type Lanes = { byText: Candidate[]; byVector: VectorCandidate[] }

export type Asked = { open: OpenGeneration; pages: Promise<PageIndex | null> }

/** Longer queries (a pasted file) are cut to their first distinct terms. */
const maxQueryTerms = 256
/** What the page counts in the vector lane. */
const pageShare = 0.2
/** Chunks that are weighed together with their page, for each one wanted. */
const overfetch = 2

/** The best of each generation: scores of one kind of search are comparable enough to sort. */
export async function textLane(asked: Asked[], text: string, limit: number): Promise<Candidate[]> {
  const terms = queryTerms(text, maxQueryTerms)
  if (terms.length === 0) return []
  const found = await Promise.all(
    asked.map(async ({ open }, i) => keyed(i, await open.fullText(terms, limit))),
  )
  return found.flat().sort(bestFirst)
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
      const cosines = (await pages)?.cosines(vector)
      const weighed = chunks.map((chunk) => mixed(chunk, cosines?.get(chunk.url) ?? null))
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
  const score = pageCosine === null ? cosine : (1 - pageShare) * cosine + pageShare * pageCosine
  return { ...chunk, score, cosine, pageCosine }
}

function bestFirst(a: Candidate, b: Candidate): number {
  return b.score - a.score || (a.key < b.key ? -1 : 1)
}
