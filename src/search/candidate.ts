import type { ChunkHit } from '../store/chunks/chunk-search.ts'
import type { ChunkRow } from '../store/chunks/chunk-table.ts'
import type { Collection } from './collection.ts'

/**
 * A chunk on its way through the ranking: a hit of the store with its collection and the parts of
 * its score. `key` is unique across collections.
 */
export type Candidate = ChunkHit & { key: string; collection: Collection; why: ScoreParts }

/** The field that a candidate gets once its text is read. */
export type WithRow = { row: ChunkRow }

/** The fields that a candidate gets with its excerpt. */
export type WithText = {
  text: string
  /** The matched parts of the text, without headings or lead-ins that precede them on the page. */
  texts: string[]
  startLine: number
  endLine: number
  /** Null if the page has no anchor for the section. */
  anchor: string | null
}

/**
 * The parts of a chunk's score: ((fullText + vector) × changelog × version × api × list × example +
 * evidence) × repeated × library × language + fullness, where each lane contributes its `points`.
 * Ranks start at 1; null means that this lane did not find the chunk.
 */
export type ScoreParts = {
  /** Ranked by `score` (BM25) mixed with the page's score, which is null if it is unknown. */
  fullText: { rank: number; score: number; pageScore: number | null; points: number } | null
  /** Ranked by `cosine` mixed with `pageCosine`, which is null if it is unknown. */
  vector: { rank: number; cosine: number; pageCosine: number | null; points: number } | null
  /**
   * If the query is a name: how and where the chunk contains that name. It outranks every score.
   */
  nameMatch: NameMatch | null
  /** A name from the query that this chunk and only a few others contain. */
  rareName: string | null
  /** Less than 1 for release notes, unless the query asks for changes. */
  changelog: number
  /** Less than 1 for upgrade notes, older majors, and modules other than the main one. */
  version: number
  /** Less than 1 for the API reference, unless the query is a name. */
  api: number
  /** Less than 1 if the query asks for an example and the passage has no code. */
  example: number
  /** Less than 1 for a list of features or a table of contents. */
  list: number
  evidence: number
  /** Less than 1 if a better passage of the same page is ranked above this one. */
  repeated: number
  /**
   * More than 1 if several libraries are searched and the query names this one or the project uses
   * it.
   */
  library: number
  /** Less than 1 if the page and the query are in different languages. */
  language: number
  /** Line ranges of other passages of the page that were merged into this hit, such as `3-9`. */
  merged: string[]
  /** URLs of hidden near-copies, one entry per copy. */
  copies: string[]
  /** Score gained in a library without guides by a full answer; negative for a short one. */
  fullness: number
  /** Names of the same symbol in other modules, which are hidden: `zod/mini.string`. */
  twins: string[]
}

/** Returns a hit of the store as a candidate that no lane has ranked and nothing has adjusted. */
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
  /** Number of parts of the defined qualified name; only for the place `api`. */
  parts?: number
  /**
   * Set if the name is a plain word that too many chunks contain, or that this API chunk only
   * mentions. The chunk then does not move to the top.
   */
  isFrequent?: true
}

/**
 * Where a chunk can contain the name, best first. `api`: its definition in the API reference;
 * `mention`: elsewhere in the API reference; `title`: a heading that consists of the name.
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
 * symbols; with different case or separators; as its words side by side.
 */
export const nameForms = ['typed', 'core', 'spelling', 'words'] as const
