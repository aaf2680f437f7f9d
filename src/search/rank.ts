import type { Ablation } from './ablation.ts'
import { addPageEvidence, shareAboveRest, shareOfBest, spreadPages } from './fuse.ts'
import type { Candidate, Lanes } from './lanes.ts'
import { askedName, nameLikeness } from './name.ts'
import type { Named } from './names-first.ts'

/**
 * How a chunk came by its score: ((fullText + vector + name) × wordless × changelog + evidence) ×
 * repeated, of the lanes their `points`. Ranks count from 1; null: this lane did not find it.
 */
export type Why = {
  /** Ranked by `score` (BM25) mixed with that of its page; null: nothing is known of its page. */
  fullText: { rank: number; score: number; pageScore: number | null; points: number } | null
  /** Ranked by `cosine` mixed with `pageCosine`; null: nothing is known of its page. */
  vector: { rank: number; cosine: number; pageCosine: number | null; points: number } | null
  /** Where a name is asked: how and where the chunk holds it. Counts before any score. */
  named: Named | null
  /** A name inside the query that it holds and few others do. */
  rareName: string | null
  /** For how far the words asked are the page's name. */
  name: number
  /** Less than 1 where a name is asked and other chunks have its words. */
  wordless: number
  /** Less than 1 for release notes, unless they are what is asked for. */
  changelog: number
  /** What other passages of its page add. */
  evidence: number
  /** Less than 1 after a better passage of its page. */
  repeated: number
  /** Less than 1 in another language than that of the query; counts last. */
  language: number
  /** Lines of the passages of its page that are shown with it, as `3-9`. */
  merged: string[]
  /** Addresses of near-copies that are not shown, as often as they are. */
  copies: string[]
}

export type Fused = Candidate & { why: Why }

export type RankQuery = {
  text: string
  without?: readonly Ablation[]
  /** One lane alone stays as it is: it is what the other is measured against. */
  isHybrid: boolean
  page(candidate: Candidate): { names: string[][]; isChangelog: boolean }
}

/** Candidates of each lane that count. */
export const depth = 100
/** What full text counts, vectors have the rest; this and the next: docs/internals/quality.md. */
const textWeight = { question: 0.4, name: 0.35 }
const nameWeight = 0.25
/** No chunk without a word of the name goes before the best one with: 0.65 × 0.5 < 0.35. */
const wordlessFactor = 0.5
const changelogFactor = 0.7
const evidenceShares = [0.2, 0.2]
const repeatedFactor = 0.7
/** How far below the best cosine one is worth nothing, however few chunks there are. */
const span = 0.15

/** Both lanes as one list, best first. */
export function rank(lanes: Lanes, query: RankQuery): Fused[] {
  if (!query.isHybrid) return fuse(lanes, { text: 1, vector: 1 }).sort(bestFirst)
  const has = (part: Ablation) => !query.without?.includes(part)
  const name = has('names') ? askedName(query.text) : null
  const text = textWeight[name === null ? 'question' : 'name']
  const fused = fuse(lanes, { text, vector: 1 - text })
  // Of a word that more chunks have than were asked for, nobody knows which lack it.
  const isRareName = name !== null && lanes.byText.length > 0 && lanes.byText.length < depth
  const asksForChanges = changes.test(query.text) || !has('changelogs')
  for (const found of fused) {
    const { names, isChangelog } = query.page(found)
    if (name !== null) found.why.name = nameWeight * nameLikeness(name, names)
    if (isRareName && found.why.fullText === null) found.why.wordless = wordlessFactor
    if (isChangelog && !asksForChanges) found.why.changelog = changelogFactor
    const { wordless, changelog } = found.why
    found.score = (found.score + found.why.name) * wordless * changelog
  }
  const page = ({ generationIndex, url }: Candidate) => `${generationIndex}/${url}`
  addPageEvidence(fused.sort(bestFirst), { page, shares: has('evidence') ? evidenceShares : [] })
  spreadPages(fused.sort(bestFirst), { page, factor: has('repeats') ? repeatedFactor : 1 })
  return fused.sort(bestFirst)
}

/** "What's new in it", "breaking changes", "removed since 0.106.0". */
const changes = new RegExp(
  String.raw`\b(what('s|s| is) new|new in|change ?log|changes|changed|deprecated|removed)\b` +
    String.raw`|\b(releases?|since)\b|\d\.\d`,
  'i',
)

function fuse({ byText, byVector }: Lanes, weights: { text: number; vector: number }): Fused[] {
  const found = new Map<string, Fused>()
  const known = (candidate: Candidate) => {
    const fused = found.get(candidate.key) ?? { ...candidate, score: 0, why: unknown() }
    found.set(candidate.key, fused)
    return fused
  }
  const ofText = shareOfBest(byText)
  byText.forEach((candidate, i) => {
    const fused = known(candidate)
    const points = weights.text * ofText(candidate.score)
    const { bm25: score, pageBm25: pageScore } = candidate
    fused.why.fullText = { rank: i + 1, score, pageScore, points }
    fused.score += points
  })
  const ofVector = shareAboveRest(byVector, { depth, span })
  byVector.forEach((candidate, i) => {
    const { cosine, pageCosine } = candidate
    const fused = known(candidate)
    const points = weights.vector * ofVector(candidate.score)
    fused.why.vector = { rank: i + 1, cosine, pageCosine, points }
    fused.score += points
  })
  return [...found.values()]
}

/** Why a chunk is there of which nothing is known yet. */
export function unknown(): Why {
  const points = { name: 0, wordless: 1, changelog: 1, evidence: 0, repeated: 1, language: 1 }
  const none = { fullText: null, vector: null, named: null, rareName: null }
  return { ...none, ...points, merged: [], copies: [] }
}

function bestFirst(a: Fused, b: Fused): number {
  return b.score - a.score
}
