import { terms } from '../chunk/terms.ts'
import { isCovered } from './coverage.ts'
import { askedName, nameLikeness } from './name.ts'

/**
 * Between which cosines a library's answers lie: `foreign` is the best cosine that only one in five
 * sentences about other things exceeds, `own` the median of headings of the library itself.
 */
export type Calibration = { own: number; foreign: number }

/** One of the best hits: its text, headings included; what it is called; null: no vectors. */
export type FoundChunk = { text: string; names: readonly string[]; cosine: number | null }

/** What one library version has to say to a query. */
export type Evidence = {
  query: string
  library: string
  /** Of the nearest chunk; null where no embeddings were compared. */
  cosine: number | null
  calibration: Calibration | null
  /** Chunks of the library version. */
  chunks: number
  /** The best hits, best first. */
  best: readonly FoundChunk[]
  /** How telling a term is; where it is not known all are alike. */
  termWeight?: (term: string) => number
}

/** Fitted on questions asked of libraries that they are not about; see docs/quality.md. */
const weights = { near: 0.4, best: 0.6, coverage: 1, name: 0.65, question: 0.45, self: 0.45 }
const needed = 1.24
/** A word is far from every text, also from its own; beyond this no distance says more. */
const farthest = -0.4
/** Chunks that are so far from the query say nothing. */
const farChunk = -0.5
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
  if (evidence.best.length === 0) return false
  if (cosine === null) return chunks < fewestChunks || covers(evidence, neededCoverage)
  if (calibration === null || calibration.own <= calibration.foreign) return true
  const missing = needed - byCosine(cosine, calibration, evidence.best) - byName(evidence)
  return missing <= weights.coverage && covers(evidence, missing / weights.coverage)
}

/** 0 is as near as other things come by chance, 1 as near as the library's own headings. */
function byCosine(
  nearest: number,
  { own, foreign }: Calibration,
  best: readonly FoundChunk[],
): number {
  const nearness = (cosine: number) => (cosine - foreign) / (own - foreign)
  const found = best.map(({ cosine }) =>
    cosine === null ? 0 : Math.max(0, nearness(cosine) - farChunk))
  return weights.near * Math.max(farthest, nearness(nearest)) + weights.best * mean(found)
}

/**
 * Where a name is asked something should be called so; a question has nothing that it could be
 * called by, and words that no text holds. Whoever names the library means it.
 */
function byName({ query, library, best }: Evidence): number {
  const name = askedName(query)
  const called = best.flatMap(({ names }) => names.map((it) => [...new Set(terms(it))]))
  const asked = name === null ? weights.question : weights.name * nameLikeness(name, called)
  return asked + (plain(query).includes(plain(library)) ? weights.self : 0)
}

function covers({ query, best, termWeight = () => 1 }: Evidence, share: number): boolean {
  return isCovered(query, best.map(({ text }) => text), { share, weight: termWeight })
}

/** Words alone, each between blanks. */
function plain(text: string): string {
  return ` ${text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, ' ').trim()} `
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}
