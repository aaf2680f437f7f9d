import { queryTerms, terms } from '../chunk/terms.ts'

/**
 * Between which cosines a library's answers lie: `foreign` is the best cosine that only one in five
 * sentences about other things exceeds, `own` the median of headings of the library itself.
 */
export type Calibration = { own: number; foreign: number }

/** What one library version has to say to a query. */
export type Evidence = {
  query: string
  /** Of the nearest chunk; null where no embeddings were compared. */
  cosine: number | null
  calibration: Calibration | null
  /** Chunks of the library version. */
  chunks: number
  /** The texts of its best hits, headings included. */
  texts: readonly string[]
  /** How telling each term of the query is; where it is not known all are alike. */
  termWeights?: ReadonlyMap<string, number>
}

/** Fitted on questions asked of libraries that they are not about; see docs/quality.md. */
const needed = 0.6
const weights = { coverage: 0.83, word: 0.14, name: 0.64, small: 0.3 }
/** In a library of less chunks the nearest one is farther away, for good questions too. */
const smallChunks = 300
/** Without embeddings: what share of its terms, weighted, the best hit of an answer holds. */
const neededCoverage = 0.34
/** Too few to say from their words alone that a question is about something else. */
const fewestChunks = 40

/**
 * Whether the best hits answer the query rather than are merely the nearest there is. In doubt yes:
 * a good answer that is withheld costs more than a bad one that is shown.
 */
export function isGoodMatch(evidence: Evidence): boolean {
  const { cosine, calibration, chunks } = evidence
  if (evidence.texts.length === 0) return false
  if (cosine === null) return chunks < fewestChunks || coverage(evidence) >= neededCoverage
  if (calibration === null || calibration.own <= calibration.foreign) return true
  const nearness = (cosine - calibration.foreign) / (calibration.own - calibration.foreign)
  const missing = needed - nearness - weights.small * Math.max(0, 1 - chunks / smallChunks)
  if (missing <= 0) return true
  if (missing > weights.coverage + weights.name) return false
  const covered = coverage(evidence)
  return weights.coverage * covered + boost(evidence.query, covered) >= missing
}

/** The largest share of the query's terms that one of the texts holds. */
function coverage({ query, texts, termWeights }: Evidence): number {
  const wanted = queryTerms(query, 256)
  if (wanted.length === 0) return 0
  const weight = (found: readonly string[]) =>
    found.reduce((sum, term) => sum + (termWeights?.get(term) ?? 1), 0)
  const all = weight(wanted)
  const shares = texts.map((text) => {
    const held = new Set(terms(text))
    return weight(wanted.filter((term) => held.has(term))) / all
  })
  return Math.max(0, ...shares)
}

/** One word is farther from every text than a sentence; a name is hardly found by chance. */
function boost(query: string, covered: number): number {
  const word = query.trim().replace(/[?.!]$/, '')
  if (/\s/.test(word)) return 0
  if (!/\p{Ll}\p{Lu}|[_$.:@-]|\d/u.test(word)) return weights.word
  return covered === 1 ? weights.name : 0
}
