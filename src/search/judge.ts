import { isGoodMatch } from './confidence.ts'
import { coveredTerms } from './coverage.ts'
import type { ScoredChunk } from './hybrid.ts'
import { meantText, type NearTerms } from './near-terms.ts'
import type { OpenGeneration } from '../store/reading.ts'
import type { Entry } from '../store/registry.ts'
import { defaultCalibration } from '../library/add/calibrate.ts'

/** Hits that say whether a library version answers; with fewest shown, so many are looked at. */
export const judgedHits = 5

export type Judged = { cosine: number | null; chunks: readonly ScoredChunk[]; near: NearTerms }

/** Whether what was found in one library version answers the query. */
export async function isAnswer(
  { entry, open }: { entry: Entry; open: OpenGeneration },
  query: string,
  { cosine, chunks, near }: Judged,
): Promise<boolean> {
  // A name that stands there is an answer by definition.
  if (chunks.some(({ why }) => why.named !== null || why.rareName !== null)) return true
  const { calibration, fingerprint, chunks: size } = entry.live
  const meant = meantText(query, near)
  return isGoodMatch({
    query: meant,
    library: entry.library,
    cosine,
    calibration: calibration ?? (fingerprint && defaultCalibration(fingerprint.model)),
    chunks: size,
    best: chunks.slice(0, judgedHits).map(foundChunk),
    termWeight: await termWeight(open, meant, { isAlone: cosine === null }),
  })
}

function foundChunk({ row, why }: ScoredChunk) {
  const path = row.url.replace(/^[a-z]+:\/*[^/]*/, '').replace(/\.\w+$/, '')
  return {
    text: `${row.title} ${row.heading} ${path} ${row.content}`,
    names: [row.title, row.heading.split(' > ').at(-1)!, path.split('/').at(-1)!],
    cosine: why.vector?.cosine ?? null,
  }
}

/** By how few pages hold a term; where pages are not known and words are all there is, chunks. */
async function termWeight(
  open: OpenGeneration,
  query: string,
  { isAlone }: { isAlone: boolean },
): Promise<(term: string) => number> {
  const pages = await open.pageIndex()
  if (pages !== null) return pages.rarity
  if (!isAlone) return () => 1
  const best = await bestScores(open, coveredTerms(query).slice(0, mostAsked))
  return (term) => best.get(term) ?? 0
}

/** Of longer queries the first terms alone count. */
const mostAsked = 24

/**
 * What the best chunk scores for each term alone, by BM25, whose larger part is how rare the term
 * is; a term that no chunk holds weighs what the rarest could.
 */
async function bestScores(open: OpenGeneration, asked: string[]): Promise<Map<string, number>> {
  const best = await Promise.all(asked.map((term) => open.fullText([term], 1)))
  const rarest = 2 * Math.log(1 + open.generation.chunks)
  return new Map(asked.map((term, i) => [term, best[i]![0]?.score ?? rarest]))
}
