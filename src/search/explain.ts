import type { OpenGeneration } from '../store/reading.ts'
import {
  askLanes,
  rankCandidates,
  readChunks,
  type HybridQuery,
  type ScoredChunk,
} from './candidates.ts'
import type { Candidate, Lanes } from './lanes.ts'
import { bestFirst } from './names-first.ts'
import { unknown, type Fused } from './rank.ts'

export type PageExplanation = {
  /** Its place among the pages that are ranked; null: no chunk of it is good enough in any lane. */
  place: number | null
  /** How many pages are ranked. */
  nPages: number
  /** The best chunk of all; null where nothing is found. */
  first: ScoredChunk | null
  /** The best chunk of the page; null: no lane finds one, however deep. Unranked ones score 0. */
  best: ScoredChunk | null
}

export type AskedPage = {
  url: string
  /** Generations that have the page: the one where it stands best counts. */
  generationIndexes: readonly number[]
  /** What the language of a chunk's page makes of its score; 1 unless given. */
  weight?: (candidate: Candidate) => number
}

/** Where the page with this address stands among all that the query finds. */
export async function explainPage(
  generations: readonly OpenGeneration[],
  query: HybridQuery,
  { url, generationIndexes, weight = () => 1 }: AskedPage,
): Promise<PageExplanation> {
  const found = await rankCandidates(generations, query)
  const ranked = found.ranked.map((chunk) => weighed(chunk, weight(chunk)))
    .sort(bestFirst)
  const isIts = (candidate: Candidate) =>
    candidate.url === url && generationIndexes.includes(candidate.generationIndex)
  const pages = [...Map.groupBy(ranked, ({ generationIndex, url }) => `${generationIndex}/${url}`)]
  const place = pages.findIndex(([, [best]]) => isIts(best!))
  const best = ranked.find(isIts) ?? bestUnranked(await deepLanes(generations, query), isIts)
  const wanted = [ranked[0], best].filter((found) => found !== undefined)
  const read = await readChunks(generations, wanted)
  return {
    place: place < 0 ? null : place + 1,
    nPages: pages.length,
    first: ranked.length > 0 ? read[0]! : null,
    best: best === undefined ? null : read.at(-1)!,
  }
}

function weighed(chunk: Fused, language: number): Fused {
  return { ...chunk, score: chunk.score * language, why: { ...chunk.why, language } }
}

/** Every chunk that a lane can find. */
function deepLanes(generations: readonly OpenGeneration[], query: HybridQuery): Promise<Lanes> {
  const chunks = generations.map(({ generation }) => generation.chunks)
  return askLanes(generations, query, Math.max(...chunks))
}

/** What the lanes have of it far down, the vector lane's best first. */
function bestUnranked(
  { byText, byVector }: Lanes,
  isIts: (candidate: Candidate) => boolean,
): Fused | undefined {
  const found: Candidate | undefined = byVector.find(isIts) ?? byText.find(isIts)
  if (found === undefined) return undefined
  const why = unknown()
  const textRank = byText.findIndex(({ key }) => key === found.key)
  const vectorRank = byVector.findIndex(({ key }) => key === found.key)
  if (textRank >= 0) {
    const { bm25: score, pageBm25: pageScore } = byText[textRank]!
    why.fullText = { rank: textRank + 1, score, pageScore, points: 0 }
  }
  if (vectorRank >= 0) {
    const { cosine, pageCosine } = byVector[vectorRank]!
    why.vector = { rank: vectorRank + 1, cosine, pageCosine, points: 0 }
  }
  return { ...found, score: 0, why }
}
