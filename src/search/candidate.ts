import type { ChunkHit } from '../store/chunks/chunk-search.ts'
import type { ChunkRow } from '../store/chunks/chunk-table.ts'
import type { Collection } from './collection.ts'

/**
 * A chunk during ranking: a hit in the store with its collection and the parts of its score. `key`
 * is unique across collections.
 */
export type Candidate = ChunkHit & { key: string; collection: Collection; why: ScoreParts }

/** The field that a candidate gets when its text is read. */
export type WithRow = { row: ChunkRow }

/** The fields that a candidate gets with its excerpt. */
export type WithText = {
  text: string
  /** The matched parts of the text, without headings or lead-ins from above. */
  texts: string[]
  startLine: number
  endLine: number
  /** Null if the page has no anchor for the section. */
  anchor: string | null
}

/**
 * The parts of a chunk's score: ((fullText + vector) × changelog × version × api × list × example +
 * evidence) × repeated × library × language + fullness. Each lane contributes its `points`. Ranks
 * start at 1. A lane is null if it did not find the chunk.
 */
export type ScoreParts = {
  /** Ranked by `score` (BM25) mixed with the page's score, which is null if unknown. */
  fullText: { rank: number; score: number; pageScore: number | null; points: number } | null
  /** Ranked by `cosine` mixed with `pageCosine`, which is null if unknown. */
  vector: { rank: number; cosine: number; pageCosine: number | null; points: number } | null
  /** How and where the chunk contains the queried name. This outranks every score. */
  nameMatch: NameMatch | null
  /** A name from the query that this chunk and only a few others contain. */
  rareName: string | null
  /** Below 1 for release notes, unless the query asks for changes. */
  changelog: number
  /** Below 1 for upgrade notes, older majors, and modules other than the main one. */
  version: number
  /** Below 1 for the API reference, unless the query is a name. */
  api: number
  /** Below 1 if the query asks for an example and the passage has no code. */
  example: number
  /** Below 1 for a list of features or a table of contents. */
  list: number
  evidence: number
  /** Below 1 if a better passage of the same page ranks above this one. */
  repeated: number
  /** Above 1 if one of several libraries is named in the query or used by the project. */
  library: number
  /** Below 1 if page and query are in different languages. */
  language: number
  /** Lines of other passages of the page that were merged into this hit, such as `3-9`. */
  merged: string[]
  /** URLs of hidden near-copies, one entry per copy. */
  copies: string[]
  /** Score that a full answer gains in a library without guides; negative for a short one. */
  fullness: number
  /** Hidden names of the same symbol in other modules, such as `zod/mini.string`. */
  twins: string[]
}

/** Converts a hit to a candidate that has no rank and no adjustments yet. */
export function toCandidate(collection: Collection, { rowId, url, score }: ChunkHit): Candidate {
  const key = `${collection.open.generation.id}/${rowId}`
  return { rowId, url, score, key, collection, why: emptyScoreParts() }
}

export function emptyScoreParts(): ScoreParts {
  return {
    fullText: null,
    vector: null,
    nameMatch: null,
    rareName: null,
    changelog: 1,
    version: 1,
    api: 1,
    example: 1,
    list: 1,
    evidence: 0,
    fullness: 0,
    repeated: 1,
    library: 1,
    language: 1,
    merged: [],
    copies: [],
    twins: [],
  }
}

export type NameMatch = {
  form: NameForm
  place: NamePlace
  /** Number of parts of the defined qualified name. Only for the place `api`. */
  parts?: number
  /**
   * Set if the name is a plain word that too many chunks contain, or that this API chunk only
   * mentions. The chunk then does not move to the top.
   */
  isFrequent?: true
}

/**
 * Where a chunk can contain the name, best first. `api` is its definition in the API reference, and
 * `mention` is another place there. `title` is a heading that consists of the name.
 */
export type NamePlace =
  | 'api'
  | 'title'
  | 'heading'
  | 'definition'
  | 'code'
  | 'prose'
  | 'mention'
  | 'changelog'

export type NameForm = (typeof nameForms)[number]

/**
 * The forms in which text may contain a name, best first: exactly as typed; without leading
 * symbols; with different case or separators; as adjacent words.
 */
export const nameForms = ['typed', 'core', 'spelling', 'words'] as const
