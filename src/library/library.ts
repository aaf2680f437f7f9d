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
  /** Why the source was read incompletely, such as `cannot reach github.com`, or null. */
  incomplete: string | null
  /** Path or URL of the installed pack. Null if the version was built from its source. */
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
  /** The version label to store if the source spells it differently. */
  label?: string
  /** Set if og knows before reading that it could not reach a better source. */
  incomplete?: SourceGap
  /** The run fails if the library is not indexed when it gets the lock, as in an update. */
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
  /** Number of chunks on long pages that have an earlier chunk's embedding. */
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
  /** Number of new chunks on long pages that have an earlier chunk's embedding, if any. */
  shared?: number
  diff: { added: number; modified: number; deleted: number; unchanged: number }
  skipped: { path: string; reason: string }[]
  failed: { url: string; reason: string }[]
  ignored?: Record<string, number>
  sites?: SiteFound[]
  leftovers?: LeftoverCounts
  /** Public names of its packages; undefined if it has no API reference. */
  names?: PublicNames
  /** Number of pages that keep their old text because they could not be read. */
  kept: number
  /** Number of files with uncommitted changes in a git working tree, if any. */
  uncommitted?: number
  /** Why the source was read incompletely, such as `cannot reach github.com`, or null. */
  incomplete: string | null
  /** The host of a better source that does not respond, if no page failed. */
  missingHost?: string
  seconds: number
}

/** A site that a generator builds from the source, such as an mdBook with 112 pages in `book`. */
export type SiteFound = { generator: string; folder: string; pages: number }

/** `library` may list several libraries, and `version` may be a range, a list or `all`. */
export type SearchRequest = VersionQuery & {
  query: string
  limit: number
  filter?: PageFilter
  context?: number
  /**
   * Maximum length of a hit in characters, by its rank. Later hits use the last value. If
   * undefined, hits show whole sections.
   */
  sizes?: readonly number[] | undefined
  mode?: RankingRequest['mode']
  /** Parts of the ranking to skip, for measuring their effect. */
  without?: RankingRequest['without']
  judge?: boolean
  /** Like `judge`, but returns no hits if they are about a different subject. */
  refuse?: boolean
  /** The libraries whose source `og add` knows. Called only if a library may be missing. */
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
  /** First line of the hit, without a heading or lead-in further above. */
  startLine: number
  endLine: number
  why: ScoreParts
  anchor: string | null
  /** Indexed versions with the same text, newest first. `version` is one of them. */
  versions: string[]
  path: string
  /** The shortest suffix of the path by which `get` finds this page. */
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
  /** Other versions with the page, newest first. Empty if the request named a version. */
  otherVersions: string[]
}
