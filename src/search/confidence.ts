import { terms } from '../chunk/terms.ts'
import { coveredTerms, isCovered } from './coverage.ts'
import { namesLibrary } from './library-gain.ts'
import { termsOfName, nameLikeness } from './name/name.ts'

/**
 * The range of a library's cosines, measured once per generation. `foreign`: the best cosine that
 * only one in five unrelated sentences exceeds. `own`: the median best cosine of the library's own
 * headings.
 */
export type Calibration = { own: number; foreign: number }

/**
 * Default calibration of a model, for generations without a measured one; null if the model is
 * unknown. The values are low, so that hardly any good answer is judged weak.
 */
export function defaultCalibration(model: string): Calibration | null {
  return model === 'BAAI/bge-small-en-v1.5' ? { own: 0.72, foreign: 0.55 } : null
}

/**
 * One of the best hits: its text with its headings, and its names (title, last heading, file).
 * `cosine` is null if no embeddings were compared.
 */
type EvidenceChunk = { text: string; names: readonly string[]; cosine: number | null }

/** The data from which `isGoodMatch` decides whether one library version answers a query. */
export type Evidence = {
  query: string
  library: string
  /** Distance of the best cosine above the rest; null if no embeddings were compared. */
  lead: number | null
  calibration: Calibration | null
  /** Number of chunks in the library version. */
  chunks: number
  /** The best hits, best first. */
  best: readonly EvidenceChunk[]
  /** Weight of a term: rarer terms weigh more. If it is missing, all terms weigh the same. */
  termWeight?: (term: string) => number
}

/** Fitted on questions about unrelated subjects: docs/internals/search.md. */
const weights = { near: 1.25, lead: 0.6, question: 0.5, self: 0.5, small: 0.25 }
const neededScore = 1.8
/** In a library with fewer chunks even the best answers have lower cosines. */
const smallChunks = 600
/** Lower limit for the nearness of a chunk: anything farther away counts the same. */
const farChunk = -0.5
/**
 * Weights without embeddings. `terms` is the gain per e-fold of the number of query terms. `needed`
 * is low enough that a one-word query is answered if its word occurs.
 */
const wordWeights = { name: 0.7, self: 0.6, terms: 0.35, needed: 1.22 }
/** With fewer chunks, words alone cannot show that a question is about something else. */
const fewestChunks = 40

/**
 * Decides whether the best hits answer the query or are merely the nearest ones. One hit has to
 * cover a share of the query's terms. The required share is smaller the higher the cosines are, the
 * more the best cosine stands out from the rest, and if the query names the library. Returns true
 * in doubt: withholding a good answer costs more than showing a bad one.
 */
export function isGoodMatch(evidence: Evidence): boolean {
  const { query, lead, calibration, chunks, best, termWeight: weight = () => 1 } = evidence
  if (best.length === 0) return false
  if (lead === null && chunks < fewestChunks) return true
  if (lead !== null && !isUsable(calibration)) return true
  const share =
    lead === null
      ? wordWeights.needed - byWords(evidence)
      : neededScore - byCosines(lead, calibration!, best) - byQuery(evidence)
  const isStrict = lead === null
  return (
    share <= 1 &&
    isCovered(
      query,
      best.map(({ text }) => text),
      { share, weight, isStrict },
    )
  )
}

function isUsable(calibration: Calibration | null): boolean {
  return calibration !== null && calibration.own > calibration.foreign
}

/**
 * 0 means as near as unrelated sentences come by chance, 1 as near as the library's own headings.
 */
function byCosines(
  lead: number,
  { own, foreign }: Calibration,
  best: readonly EvidenceChunk[],
): number {
  const nearness = best.map(({ cosine }) =>
    cosine === null ? 0 : Math.max(0, (cosine - foreign) / (own - foreign) - farChunk),
  )
  return weights.near * mean(nearness) + weights.lead * (lead / (own - foreign))
}

/** Questions contain words that no text contains ("how", "why"); names do not. */
function byQuery(evidence: Evidence): number {
  const { query, library, chunks } = evidence
  const form = termsOfName(query) === null ? weights.question : 0
  const size = weights.small * Math.max(0, 1 - chunks / smallChunks)
  return form + size + (namesLibrary(query, library) ? weights.self : 0)
}

/** The more words a query has, the smaller the share of them that any single text contains. */
function byWords(evidence: Evidence): number {
  const { query, library } = evidence
  const queryTerms = coveredTerms(query)
  const { name, self, terms } = wordWeights
  const nameScore =
    name * likenessOfName(queryTerms, evidence) + (namesLibrary(query, library) ? self : 0)
  return nameScore + terms * Math.log(1 + queryTerms.length)
}

function likenessOfName(query: readonly string[], { best }: Evidence): number {
  const names = best.flatMap(({ names }) => names)
  return nameLikeness(
    query,
    names.map((name) => [...new Set(terms(name))]),
  )
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}
