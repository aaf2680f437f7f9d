import { indexTermsOf } from '../chunk/terms.ts'
import { coveredShares, termsToCover, isCovered } from './coverage.ts'
import { namesLibrary } from './library-gain.ts'
import { nameQueryTerms, nameLikeness } from './name/name.ts'

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

/** How sure it is that the best hits answer a query. */
export type Confidence = 'high' | 'medium' | 'weak'

/**
 * One of the best hits: its text with its headings, and its names (title, last heading, file).
 * `cosine` is null if no embeddings were compared.
 */
type EvidenceChunk = { text: string; names: readonly string[]; cosine: number | null }

/** The data from which `rateEvidence` judges the hits of one library version. */
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
  /** Agreement of the lanes on the first hit: 1/(1 + rank) in each lane, added. */
  agreement?: number
  /** How much higher the best page scores than the next one, as a share of its score. */
  pageLead?: number
  /** Weight of a term: rarer terms weigh more. If it is missing, all terms weigh the same. */
  termWeight?: (term: string) => number
}

/**
 * Logistic regression on 486 questions of four libraries and 825 questions of the other three,
 * fitted by leaving each library out: docs/internals/search.md. `near` and `nearMean` are cosines
 * from 0 (as near as unrelated sentences come by chance) to 1 (as near as the library's own
 * headings), of the first hit and of the five best; `lead` is in the same unit. `covered` is the
 * weighted share of query terms in the best of the texts, `first` in the first, `missing` in none.
 */
const logistic = {
  bias: -3.685,
  near: 1.245,
  nearMean: 1.14,
  lead: 1.856,
  covered: 0.983,
  first: 0.895,
  missing: -1.01,
  name: -0.708,
  agreement: 1.231,
  pageLead: 0.412,
} as const
/** Not fitted: in small libraries the best answers have lower cosines, and a named one is meant. */
const prior = { self: 1, small: 0.5, smallChunks: 600 }
const levels = { high: -0.11, medium: -1.33 }
const range = { near: [-1, 2], lead: [0, 3] } as const
/**
 * Weights without embeddings. `terms` is the gain per e-fold of the number of query terms. `needed`
 * is low enough that a one-word query is answered if its word occurs.
 */
const wordWeights = { name: 0.7, self: 0.6, terms: 0.35, needed: 1.22 }
/** With fewer chunks, words alone cannot show that a question is about something else. */
const fewestChunks = 40

/**
 * Rates whether the best hits answer the query or are merely the nearest ones. Without embeddings
 * the level is `high` or `weak`: one hit has to contain a share of the query's terms. Without a
 * usable calibration it is `medium`.
 */
export function rateEvidence(evidence: Evidence): Confidence {
  const { lead, calibration, chunks, best } = evidence
  if (best.length === 0) return 'weak'
  if (lead === null) {
    return chunks < fewestChunks || coversByWords(evidence) ? 'high' : 'weak'
  }
  if (!isUsable(calibration)) return 'medium'
  const score = byEvidence(evidence, lead, calibration!)
  return score >= levels.high ? 'high' : score >= levels.medium ? 'medium' : 'weak'
}

function isUsable(calibration: Calibration | null): boolean {
  return calibration !== null && calibration.own > calibration.foreign
}

/** Log-odds that the hits answer the query. */
function byEvidence(evidence: Evidence, lead: number, { own, foreign }: Calibration): number {
  const { query, library, chunks, best, termWeight: weight = () => 1 } = evidence
  const { agreement = 0, pageLead = 0 } = evidence
  const near = best.map(({ cosine }) =>
    cosine === null ? 0 : clamp((cosine - foreign) / (own - foreign), range.near),
  )
  const { shares, missing } = coveredShares(
    query,
    best.map(({ text }) => text),
    weight,
  )
  const small = prior.small * Math.max(0, 1 - chunks / prior.smallChunks)
  return (
    logistic.bias +
    logistic.near * near[0]! +
    logistic.nearMean * mean(near) +
    logistic.lead * clamp(lead / (own - foreign), range.lead) +
    logistic.covered * Math.max(...shares) +
    logistic.first * shares[0]! +
    logistic.missing * missing +
    (nameQueryTerms(query) === null ? 0 : logistic.name) +
    logistic.agreement * agreement +
    logistic.pageLead * pageLead +
    (namesLibrary(query, library) ? prior.self : 0) +
    small
  )
}

function clamp(value: number, [least, most]: readonly [number, number]): number {
  return Math.min(most, Math.max(least, value))
}

function coversByWords(evidence: Evidence): boolean {
  const { query, best, termWeight: weight = () => 1 } = evidence
  const share = wordWeights.needed - byWords(evidence)
  const texts = best.map(({ text }) => text)
  return share <= 1 && isCovered(query, texts, { share, weight, isStrict: true })
}

/** The more words a query has, the smaller the share of them that any single text contains. */
function byWords(evidence: Evidence): number {
  const { query, library } = evidence
  const queryTerms = termsToCover(query)
  const { name, self, terms } = wordWeights
  const nameScore =
    name * likenessOfName(queryTerms, evidence) + (namesLibrary(query, library) ? self : 0)
  return nameScore + terms * Math.log(1 + queryTerms.length)
}

function likenessOfName(query: readonly string[], { best }: Evidence): number {
  const names = best.flatMap(({ names }) => names)
  return nameLikeness(
    query,
    names.map((name) => [...new Set(indexTermsOf(name))]),
  )
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}
