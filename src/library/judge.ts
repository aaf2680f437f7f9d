import { queryTerms } from '../chunk/terms.ts'
import { isGoodMatch } from '../search/confidence.ts'
import type { ScoredChunk } from '../search/hybrid.ts'
import type { OpenGeneration } from '../store/reading.ts'
import type { Entry } from '../store/registry.ts'
import { defaultCalibration } from './calibrate.ts'

/** Hits that say whether a library version answers; with fewest shown, so many are looked at. */
export const judgedHits = 5

/** Whether what was found in one library version answers the query. */
export async function isAnswer(
  { entry, open }: { entry: Entry; open: OpenGeneration },
  query: string,
  { cosine, chunks }: { cosine: number | null; chunks: readonly ScoredChunk[] },
): Promise<boolean> {
  const { calibration, fingerprint, chunks: size } = entry.live
  const texts = chunks.slice(0, judgedHits).map(({ row }) => {
    const path = row.url.replace(/^[a-z]+:\/*[^/]*/, '').replace(/\.\w+$/, '')
    return `${row.title} ${row.heading} ${path} ${row.content}`
  })
  const known = calibration ?? (fingerprint && defaultCalibration(fingerprint.model))
  const evidence = { query, cosine, calibration: known, chunks: size, texts }
  if (cosine !== null || texts.length === 0) return isGoodMatch(evidence)
  return isGoodMatch({ ...evidence, termWeights: await termWeights(open, query) })
}

/** Longer queries are judged by the first of their terms. */
const mostTerms = 24

/**
 * What the best chunk scores for each term alone, by BM25, whose larger part is how rare the term
 * is; a term that no chunk holds weighs what the rarest could.
 */
async function termWeights(open: OpenGeneration, query: string): Promise<Map<string, number>> {
  const asked = queryTerms(query, mostTerms)
  const best = await Promise.all(asked.map((term) => open.fullText([term], 1)))
  const rarest = 2 * Math.log(1 + open.generation.chunks)
  return new Map(asked.map((term, i) => [term, best[i]![0]?.score ?? rarest]))
}
