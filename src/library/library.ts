import type { Markup } from '../page/page.ts'
import type { PageKind } from '../page/page-kind.ts'
import type { ScoreParts } from '../search/fuse.ts'
import type { RankingRequest } from '../search/query.ts'
import type { Source, SourceGap } from '../store/source.ts'
import type { PageFilter } from '../search/scope/page-filter.ts'
import type { VersionQuery } from '../version/pick.ts'

/** One live library version, as `og list` shows it. */
export type LibraryVersion = {
  library: string
  version: string
  pages: number
  chunks: number
  source: Source
  ref: string | null
  commit: string | null
  /** The tag of the commit, if a branch was read that has one. */
  tag: string | null
  /** ISO 8601, UTC. */
  indexedAt: string
  /** Why its source was not read whole: `cannot reach github.com`; null: it was. */
  incomplete: string | null
  /** Where the pack was that it came out of; null: it was built from its source. */
  pack: string | null
}

/** The part of a request that is the same for every run that writes a library version. */
export type RunRequest = {
  library?: string | null
  /** How long to wait for another writer of the same library version; milliseconds. */
  lockTimeoutMs: number
  /** Fails if fewer percent of the library's own questions are answered. */
  minHealth?: number | null
  onProgress?: (progress: AddProgress, library: string) => void
  signal?: AbortSignal
}

export type AddRequest = RunRequest & {
  library: string
  version: string | null
  source: Source
  /** The version under which it is kept, if the source spells it otherwise. */
  label?: string
  /** Known before anything is read: a better source could not be looked at. */
  incomplete?: SourceGap
  /** Only where it is indexed, still when this run's turn comes: an update adds nothing. */
  mustBeIndexed?: boolean
  /** Publishes also what has lost more than a fifth of its pages. */
  force?: boolean
}

export type AddProgress = {
  phase: 'resolving' | 'waiting' | 'fetching' | 'cutting' | 'embedding' | 'indexing'
  /** Pages read; chunks cut; chunks that need and chunks that have got an embedding. */
  pages: number
  chunks: number
  toEmbed: number
  embedded: number
  /** Whether this run has published it already, and embeddings follow. */
  isSearchable: boolean
  /** Null until it is looked up. */
  version: string | null
}

/** The progress of a run that has just begun. */
export const noProgress: Readonly<AddProgress> = {
  phase: 'resolving',
  pages: 0,
  chunks: 0,
  toEmbed: 0,
  embedded: 0,
  isSearchable: false,
  version: null,
}

export type AddResult = {
  library: string
  version: string
  status: 'added' | 'updated' | 'unchanged'
  pages: number
  chunks: number
  /** Chunks whose embedding was computed in this run. */
  embedded: number
  /** Page counts against the generation before. */
  diff: { added: number; modified: number; deleted: number; unchanged: number }
  skipped: { path: string; reason: string }[]
  failed: { url: string; reason: string }[]
  /** Sites whose generator is known and whose rules were followed; absent if there are none. */
  sites?: SiteFound[]
  /** Pages that failed, or lie in a folder that did, and stay as they were. */
  kept: number
  /** Files of a git working tree with uncommitted changes; absent if there are none. */
  uncommitted?: number
  /** Why the source was not read whole: `cannot reach github.com`; null: it was. */
  incomplete: string | null
  seconds: number
}

/** A site that a generator builds from the source: mdBook, of 112 pages in the folder `book`. */
export type SiteFound = { generator: string; folder: string; pages: number }

/** Several libraries stand in one text with commas; `version` may be a range, a list, `all`. */
export type SearchRequest = VersionQuery & {
  query: string
  limit: number
  filter?: PageFilter
  /** Chunks shown on each side of what was found; 0 unless given. */
  context?: number
  /** Characters of a hit by its rank; later hits have the last size. Absent: whole sections. */
  sizes?: readonly number[] | undefined
  mode?: RankingRequest['mode']
  /** Parts of the ranking that are left out: to measure what they are worth. */
  without?: RankingRequest['without']
  /** Says whether the best hits are about something else (`SearchAnswer.doubt`). */
  judge?: boolean
  /** Says so, and then gives no hits. */
  refuse?: boolean
  /** Names that `og add` knows a source for; asked only where something may be missing. */
  knownSources?: () => Promise<readonly string[]>
  signal?: AbortSignal
}

export type Hit = {
  rank: number
  score: number
  library: string
  version: string
  url: string
  title: string
  /** Heading path joined by ` > `. */
  heading: string
  /** What can be read alone; `[…]` stands where lines between were left out. */
  text: string
  /** Of the chunk that ranks. */
  chunkId: string
  /** Lines of what was found, without the heading or lead-in that stands further above. */
  startLine: number
  endLine: number
  /** How it came by its score. */
  why: ScoreParts
  /** Of the heading; null where none is known. */
  anchor: string | null
  /** Indexed versions that say the same, newest first; `version` is one of them. */
  versions: string[]
  /** Of the page, inside its source. */
  path: string
  /** The shortest end of the path that `get` takes for this page. */
  name: string
  kind: PageKind
  /** Null where nothing says so. */
  language: string | null
  /** The markup of the page's text. */
  markup: Markup
}
