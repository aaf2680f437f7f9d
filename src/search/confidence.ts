import { terms } from '../chunk/terms.ts'
import { coveredTerms, isCovered } from './coverage.ts'
import { namesLibrary } from './library-gain.ts'
import { termsOfName, nameLikeness } from './name/name.ts'

/**
 * The range of a library's cosines, measured once. `foreign`: a best cosine that only one in five
 * sentences about other things exceeds. `own`: the median best cosine of the library's own
 * headings.
 */
export type Calibration = { own: number; foreign: number }

/**
 * The calibration of a generation that was not measured, by its model; null: there is none. It is
 * low, so that hardly any good answer is taken for a weak one.
 */
export function defaultCalibration(model: string): Calibration | null {
  return model === 'BAAI/bge-small-en-v1.5' ? { own: 0.72, foreign: 0.55 } : null
}

/**
 * One of the best hits: its text with its headings, and what it is called (title, last heading,
 * file). `cosine` is null where no embeddings were compared.
 */
type EvidenceChunk = { text: string; names: readonly string[]; cosine: number | null }

/** What one library version has to say to a query. */
export type Evidence = {
  query: string
  library: string
  /** How far the best cosine is above the rest; null where no embeddings were compared. */
  lead: number | null
  calibration: Calibration | null
  /** Chunks of the library version. */
  chunks: number
  /** The best hits, best first. */
  best: readonly EvidenceChunk[]
  /** How telling a term is; where it is not known all are alike. */
  termWeight?: (term: string) => number
}

/** Fitted on questions asked of libraries that they are not about: docs/internals/quality.md. */
const weights = { near: 1.25, lead: 0.6, question: 0.5, self: 0.5, small: 0.25 }
const needed = 1.8
/** In a library of less chunks the nearest are farther away, for good questions too. */
const smallChunks = 600
/** Chunks that are so far from the query say nothing. */
const farChunk = -0.5
/**
 * Weights without embeddings; `terms` for each e-fold of how many are asked. So little is needed
 * that one word that stands there is answered.
 */
const wordWeights = { name: 0.7, self: 0.6, terms: 0.35, needed: 1.22 }
/** Too few to say from their words alone that a question is about something else. */
const fewestChunks = 40

/**
 * Whether the best hits answer the query, or are only the nearest that there are. One hit has to
 * cover a share of the query. That share is smaller the higher its cosine is, the more the best
 * cosine stands out from the rest, and where the query names the library. In doubt it is true: a
 * good answer that is withheld costs more than a bad one that is shown.
 */
export function isGoodMatch(evidence: Evidence): boolean {
  const { query, lead, calibration, chunks, best, termWeight: weight = () => 1 } = evidence
  if (best.length === 0) return false
  if (lead === null && chunks < fewestChunks) return true
  if (lead !== null && !tells(calibration)) return true
  const share =
    lead === null
      ? wordWeights.needed - byWords(evidence)
      : needed - byCosines(lead, calibration!, best) - byQuery(evidence)
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

function tells(calibration: Calibration | null): boolean {
  return calibration !== null && calibration.own > calibration.foreign
}

/** 0 is as near as other things come by chance, 1 as near as the library's own headings. */
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

/** A question has words that no text holds; a name has not. */
function byQuery(evidence: Evidence): number {
  const { query, library, chunks } = evidence
  const form = termsOfName(query) === null ? weights.question : 0
  const size = weights.small * Math.max(0, 1 - chunks / smallChunks)
  return form + size + (namesLibrary(query, library) ? weights.self : 0)
}

/** Of many words a text holds a smaller share, by its subject as by chance. */
function byWords(evidence: Evidence): number {
  const { query, library } = evidence
  const queried = coveredTerms(query)
  const { name, self, terms } = wordWeights
  const called = name * likestName(queried, evidence) + (namesLibrary(query, library) ? self : 0)
  return called + terms * Math.log(1 + queried.length)
}

function likestName(queried: readonly string[], { best }: Evidence): number {
  const called = best.flatMap(({ names }) => names)
  return nameLikeness(
    queried,
    called.map((name) => [...new Set(terms(name))]),
  )
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}
