import type { PageKind } from '../page/page-kind.ts'
import type { ScoreParts } from '../search/candidate.ts'
import type { RankingRequest } from '../search/query.ts'
import type { Generation, LeftoverCounts, PublicNames } from '../store/registry.ts'
import type { Source, SourceGap } from '../store/source.ts'
import type { PageFilter } from '../search/scope/page-filter.ts'
import type { VersionQuery } from '../version/pick.ts'
import type { Markup } from '../document/headings.ts'
import type { VersionFrom } from '../version/project.ts'

export type LibraryVersion = Pick<
  Generation,
  'pages' | 'chunks' | 'source' | 'ref' | 'commit' | 'indexedAt'
> & {
  library: string
  version: string
  tag: string | null
  /**
   * Why the source was read incompletely: `cannot reach github.com`; null if it was read
   * completely.
   */
  incomplete: string | null
  /** Path or URL of the pack that was installed; null if the version was built from its source. */
  pack: string | null
}

export type RunRequest = {
  library?: string | null
  lockTimeoutMs: number
  /** The run fails if the index answers a lower percentage of the library's own questions. */
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
  /** Set if og knows before reading that it could not reach a better source. */
  incomplete?: SourceGap
  /**
   * The run fails if the library is not indexed when it gets the lock, because an update adds no
   * library.
   */
  mustBeIndexed?: boolean
  /** Publishes the version even if it lost more than a fifth of its pages. */
  force?: boolean
}

export type AddProgress = {
  phase: 'resolving' | 'waiting' | 'fetching' | 'cutting' | 'embedding' | 'indexing'
  pages: number
  chunks: number
  toEmbed: number
  embedded: number
  /** Number of chunks on long pages that have the embedding of an earlier chunk. */
  shared: number
  isSearchable: boolean
  /** Null until the version is resolved. */
  version: string | null
}

export const noProgress: Readonly<AddProgress> = {
  phase: 'resolving',
  pages: 0,
  chunks: 0,
  toEmbed: 0,
  embedded: 0,
  shared: 0,
  isSearchable: false,
  version: null,
}

export type AddResult = {
  library: string
  version: string
  status: 'added' | 'updated' | 'unchanged'
  pages: number
  chunks: number
  embedded: number
  /**
   * Number of new chunks on long pages that have the embedding of an earlier chunk; undefined if
   * there are none.
   */
  shared?: number
  diff: { added: number; modified: number; deleted: number; unchanged: number }
  skipped: { path: string; reason: string }[]
  failed: { url: string; reason: string }[]
  ignored?: Record<string, number>
  sites?: SiteFound[]
  leftovers?: LeftoverCounts
  /** Public names of its packages; undefined if it has no API reference. */
  names?: PublicNames
  /** Number of pages that keep their old text, because they or their folder could not be read. */
  kept: number
  /**
   * Number of files with uncommitted changes in a git working tree; undefined if there are none.
   */
  uncommitted?: number
  /**
   * Why the source was read incompletely: `cannot reach github.com`; null if it was read
   * completely.
   */
  incomplete: string | null
  /** The host of a better source that does not answer, if no page failed. */
  missingHost?: string
  seconds: number
}

/**
 * A site that a generator builds from the source, such as an mdBook of 112 pages in the folder
 * `book`.
 */
export type SiteFound = { generator: string; folder: string; pages: number }

/**
 * `library` may list several libraries separated by commas; `version` may be a range, a list, or
 * `all`.
 */
export type SearchRequest = VersionQuery & {
  query: string
  limit: number
  filter?: PageFilter
  context?: number
  /**
   * Maximum length of a hit in characters, by its rank; later hits use the last value. If
   * undefined, hits show whole sections.
   */
  sizes?: readonly number[] | undefined
  mode?: RankingRequest['mode']
  /** Parts of the ranking to skip, for measuring their effect. */
  without?: RankingRequest['without']
  judge?: boolean
  /** Like `judge`, but returns no hits if they are about a different subject. */
  refuse?: boolean
  /** The library names whose source `og add` knows. Called only if a library may be missing. */
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
  /** The text of the hit, readable on its own. `[…]` replaces omitted lines. */
  text: string
  /** The id of the chunk that determined the rank. */
  chunkId: string
  /** First line of the hit, without the heading or lead-in further above. */
  startLine: number
  endLine: number
  why: ScoreParts
  anchor: string | null
  /** Indexed versions with the same text, newest first; `version` is one of them. */
  versions: string[]
  path: string
  /** The shortest end of the path by which `get` finds this page. */
  name: string
  kind: PageKind
  language: string | null
  markup: Markup
}

export type FullPage = {
  library: string
  version: string
  url: string
  title: string
  text: string
  markup: Markup
  anchor: string | null
  versionFrom: VersionFrom | null
  /** Other versions that contain the page, newest first; empty if the request named a version. */
  otherVersions: string[]
}
