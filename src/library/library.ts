import type { Markup } from '../page/page.ts'
import type { PageKind } from '../page/page-kind.ts'
import type { ScoreParts } from '../search/fuse.ts'
import type { RankingRequest } from '../search/query.ts'
import type { LeftoverCounts } from '../store/registry.ts'
import type { Source, SourceGap } from '../store/source.ts'
import type { PageFilter } from '../search/scope/page-filter.ts'
import type { VersionQuery } from '../version/pick.ts'

/** A live library version, as shown by `og list`. */
export type LibraryVersion = {
  library: string
  version: string
  pages: number
  chunks: number
  source: Source
  ref: string | null
  commit: string | null
  /** The tag of the commit, if a branch was read whose head has one. */
  tag: string | null
  /** ISO 8601, UTC. */
  indexedAt: string
  /** Why its source was read incompletely: `cannot reach github.com`; null if it was complete. */
  incomplete: string | null
  /** The path or URL of the pack it came from; null if it was built from its source. */
  pack: string | null
}

/** The options that all runs writing a library version have. */
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
  /** The version label to store, if the source spells it differently. */
  label?: string
  /** Set if it is known before reading that a better source could not be reached. */
  incomplete?: SourceGap
  /**
   * Fails if the library is not indexed when the run gets its lock, because an update adds nothing.
   */
  mustBeIndexed?: boolean
  /** Publishes even if more than a fifth of the pages is lost. */
  force?: boolean
}

export type AddProgress = {
  phase: 'resolving' | 'waiting' | 'fetching' | 'cutting' | 'embedding' | 'indexing'
  /** Pages read; chunks cut; chunks to embed, and chunks already embedded. */
  pages: number
  chunks: number
  toEmbed: number
  embedded: number
  /** True once this run has published the version; its embeddings are still being computed. */
  isSearchable: boolean
  /** Null until it is resolved. */
  version: string | null
}

/** The progress of a run that has just started. */
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
  /** Page counts compared with the previous generation. */
  diff: { added: number; modified: number; deleted: number; unchanged: number }
  skipped: { path: string; reason: string }[]
  failed: { url: string; reason: string }[]
  /** The number of files in formats that are not read, by extension; absent if there are none. */
  ignored?: Record<string, number>
  /** Sites of known generators, whose rules were applied; absent if there are none. */
  sites?: SiteFound[]
  /** Syntax that was not expanded, and other leftovers; absent if there are none. */
  leftovers?: LeftoverCounts
  /** Pages that failed, or are in a folder that failed, and keep their old text. */
  kept: number
  /** Files of a git working tree with uncommitted changes; absent if there are none. */
  uncommitted?: number
  /** Why the source was read incompletely: `cannot reach github.com`; null if it was complete. */
  incomplete: string | null
  seconds: number
}

/**
 * A site that a generator builds from the source, for example mdBook with 112 pages in the folder
 * `book`.
 */
export type SiteFound = { generator: string; folder: string; pages: number }

/**
 * `library` may contain several libraries separated by commas; `version` may be a range, a list, or
 * `all`.
 */
export type SearchRequest = VersionQuery & {
  query: string
  limit: number
  filter?: PageFilter
  /** Chunks shown on each side of a hit; 0 by default. */
  context?: number
  /** Characters of a hit by its rank; later hits have the last size. Absent: whole sections. */
  sizes?: readonly number[] | undefined
  mode?: RankingRequest['mode']
  /** Parts of the ranking to leave out, for measuring their effect. */
  without?: RankingRequest['without']
  /** Reports whether the best hits are about something else (`SearchAnswer.doubt`). */
  judge?: boolean
  /** Reports that, and then returns no hits. */
  refuse?: boolean
  /** Names with a source known to `og add`. Called only if something may be missing. */
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
  /** Text that can be read alone. `[…]` replaces omitted lines. */
  text: string
  /** The id of the ranking chunk. */
  chunkId: string
  /** The lines of the hit, without a heading or lead-in further above. */
  startLine: number
  endLine: number
  /** How its score was computed. */
  why: ScoreParts
  /** The anchor of the heading; null if it is unknown. */
  anchor: string | null
  /** Indexed versions with the same text, newest first; `version` is one of them. */
  versions: string[]
  /** The path of the page inside its source. */
  path: string
  /** The shortest end of the path that `get` takes for this page. */
  name: string
  kind: PageKind
  /** Null if it is unknown. */
  language: string | null
  /** The markup of the page's text. */
  markup: Markup
}
