import { indexTermsOf, termsAmong } from '../chunk/terms.ts'
import { coveredShares, termsToCover, isCovered } from './coverage.ts'
import { haveFewGuides, mixed } from './guides-and-api.ts'
import { nameQueryTerms, nameLikeness } from './name/name.ts'

/**
 * The range of a library's cosines, measured once per generation. Only one in five unrelated
 * sentences has a hit above the cosine `foreign`. `own` is the median of the best cosines for the
 * library's own headings.
 */
export type Calibration = { own: number; foreign: number }

/**
 * Returns a model's default calibration for an unmeasured library with this number of chunks, or
 * null for an unknown model. The more chunks a library has, the closer its best chunk is to any
 * unrelated sentence. Fitted on 172 libraries with 1 to 400 chunks.
 */
export function defaultCalibration(model: string, chunks: number): Calibration | null {
  if (model !== 'BAAI/bge-small-en-v1.5') return null
  const foreign = 0.536 + 0.019 * Math.log(Math.max(1, chunks))
  return { foreign, own: foreign + 0.14 }
}

/** How likely the best hits answer a query. */
export type Confidence = 'high' | 'medium' | 'weak'

/**
 * One of the best hits: its text with headings, and its names (title, last heading, file). `cosine`
 * is null if no embeddings were compared.
 */
type EvidenceChunk = { text: string; names: readonly string[]; cosine: number | null }

export type Evidence = {
  query: string
  library: string
  /** Gap between the best cosine and the others, or null if no embeddings were compared. */
  lead: number | null
  calibration: Calibration | null
  chunks: number
  /** How much guides count in the library; 1 if undefined. */
  guideShare?: number
  best: readonly EvidenceChunk[]
  /** Agreement of the lanes on the first hit: the sum of 1/(1 + rank) over the lanes. */
  agreement?: number
  /** Gap between the scores of the best two pages, relative to the best score. */
  pageLead?: number
  /** Returns a term's weight; rare terms weigh more. If undefined, all weigh the same. */
  termWeight?: (term: string) => number
  /** Weight of a term that occurs on no page. Undefined if pages were not counted. */
  unknownWeight?: number
}

/**
 * Logistic regression on 486 questions about four libraries and 825 questions about three others,
 * fitted by leaving out one library at a time: docs/internals/search.md. `near` (the first hit) and
 * `nearMean` (the five best) are cosines on a scale from 0, typical of unrelated sentences, to 1,
 * typical of the library's own headings. `lead` has the same unit. `covered` is the weighted share
 * of query terms in the best text, `first` the share in the first text, and `missing` the share in
 * no text.
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
/**
 * The same for a library without guides, fitted on 167 answered questions about 23 packages and 920
 * about others. Its few pages make every absent word rare, and its hits near.
 */
const apiLogistic = { bias: -2.08, near: 1.081, nearMean: 1.973, covered: 2.057, name: -1.256 }
/** Set by hand, because the best answers have lower cosines in small libraries. */
const prior = { small: 0.5, smallChunks: 600 }
/**
 * A term is rare if it weighs at least this share of an unknown term. If the hits lack a rare term,
 * the query is probably about a different subject that shares common words with them.
 */
const rareShare = 0.75
const levels = { high: -0.11, medium: -1.33 }
const range = { near: [-1, 2], lead: [0, 3] } as const
/**
 * Weights without embeddings. `terms` is the gain per e-fold of the number of query terms. `needed`
 * is low enough that any hit with the word answers a one-word query.
 */
const wordWeights = { name: 0.7, terms: 0.35, needed: 1.22 }
/** In a smaller library, words alone cannot show that a question is off topic. */
const fewestChunks = 40

/**
 * Rates whether the best hits answer the query or are merely the nearest ones. Without embeddings,
 * the rating is `high` if one hit contains a certain share of the query's terms, and `weak`
 * otherwise. With embeddings but no usable calibration, it is `medium`.
 */
export function rateEvidence(evidence: Evidence): Confidence {
  const { lead, calibration, chunks, guideShare = 1, best } = evidence
  if (best.length === 0) return 'weak'
  if (lead === null) {
    return chunks < fewestChunks || coversByWords(evidence) ? 'high' : 'weak'
  }
  if (!isUsable(calibration)) return 'medium'
  const score = byEvidence(evidence, lead, calibration!)
  const isDoubtful = !haveFewGuides([{ guideShare }]) && lacksRareTerm(evidence)
  if (score >= levels.high) return isDoubtful ? 'medium' : 'high'
  return score >= levels.medium ? 'medium' : 'weak'
}

function isUsable(calibration: Calibration | null): boolean {
  return calibration !== null && calibration.own > calibration.foreign
}

/** Returns the log-odds that the hits answer the query. */
function byEvidence(evidence: Evidence, lead: number, { own, foreign }: Calibration): number {
  const { query, chunks, best, termWeight: weight = () => 1 } = evidence
  const { agreement = 0, pageLead = 0, guideShare = 1 } = evidence
  const near = best.map(({ cosine }) =>
    cosine === null ? 0 : clamp((cosine - foreign) / (own - foreign), range.near),
  )
  const { shares, missing } = coveredShares(
    query,
    best.map(({ text }) => text),
    weight,
  )
  const covered = Math.max(...shares)
  const name = nameQueryTerms(query) === null ? 0 : 1
  const small = prior.small * Math.max(0, 1 - chunks / prior.smallChunks)
  const byGuides =
    logistic.bias +
    logistic.near * near[0]! +
    logistic.nearMean * mean(near) +
    logistic.lead * clamp(lead / (own - foreign), range.lead) +
    logistic.covered * covered +
    logistic.first * shares[0]! +
    logistic.missing * missing +
    logistic.name * name +
    logistic.agreement * agreement +
    logistic.pageLead * pageLead +
    small
  const byApi =
    apiLogistic.bias +
    apiLogistic.near * near[0]! +
    apiLogistic.nearMean * mean(near) +
    apiLogistic.covered * covered +
    apiLogistic.name * name
  return mixed(guideShare, byGuides, byApi)
}

/** True if a rare term of the query is neither in a hit nor in the library's name. */
function lacksRareTerm({ query, library, best, termWeight, unknownWeight }: Evidence): boolean {
  if (termWeight === undefined || unknownWeight === undefined) return false
  const plain = query.replace(contractions, ' ')
  const rare = new Set(
    termsToCover(plain).filter((term) => termWeight(term) >= rareShare * unknownWeight),
  )
  if (rare.size === 0) return false
  const matches = [library, ...best.map(({ text }) => text)].map((text) => termsAmong(rare, text))
  return [...rare].some((term) => !matches.some((terms) => terms.has(term)))
}

/** Matches words such as "don't" and "I've", whose parts are rare. */
const contractions = /\p{L}+['’]\p{L}{1,2}(?!\p{L})/gu

function clamp(value: number, [least, most]: readonly [number, number]): number {
  return Math.min(most, Math.max(least, value))
}

function coversByWords(evidence: Evidence): boolean {
  const { query, best, termWeight: weight = () => 1 } = evidence
  const share = wordWeights.needed - byWords(evidence)
  const texts = best.map(({ text }) => text)
  return share <= 1 && isCovered(query, texts, { share, weight, isStrict: true })
}

/** Returns the log-odds from words alone. A text contains a smaller share of a longer query. */
function byWords(evidence: Evidence): number {
  const queryTerms = termsToCover(evidence.query)
  const { name, terms } = wordWeights
  return name * likenessOfName(queryTerms, evidence) + terms * Math.log(1 + queryTerms.length)
}

function likenessOfName(query: readonly string[], { best }: Evidence): number {
  const names = best.flatMap(({ names }) => names)
  return nameLikeness(
    query,
    names.map((name) => [...new Set(indexTermsOf(name))]),
  )
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)
}
