import type { Page } from '../page/page.ts'
import type { Source } from '../store/source.ts'

/** A source with its version resolved, and the label under which it is stored. */
export type ResolvedSource = {
  source: Source
  /**
   * The label: the tag or branch as the repository spells it, `latest`, the name of the commit that
   * is checked out, or `local-YYYY-MM-DD`.
   */
  version: string
  /**
   * The short name of the tag or branch (for `latest`, the default branch), or a commit. Null if
   * local files are read as they are.
   */
  ref: string | null
  refKind?: RefKind
  commit: string | null
  /** The tag of the commit, if a branch was read whose head has one. */
  tag?: string | null
  /** Number of files of a working tree that differ from `commit`. */
  changes?: number
  /** Another name of the commit, for when `version` is its tag and cannot be used. */
  longLabel?: string
  /** True if the label was derived from the state of local files and changes with them. */
  follows?: boolean
}

export type RefKind = 'tag' | 'branch' | 'commit'

/**
 * An event of reading a source: a page, a path left out by rule (`skipped`), or a page that could
 * not be read (`failed`). `validator` is a source-specific token (a blob id, an ETag, size and
 * mtime) that shows later, without reading the page, that it is unchanged: then the event is
 * `unchanged`. `includes` are the paths, in the repository or working tree, of the files whose text
 * the page includes, or would if they existed: the page changes with them. `license` is the text of
 * the licence at the top of the source; null if it has none now, but known pages may have been
 * stored with one. A `failed` page keeps its old text; a folder that could not be listed keeps all
 * pages in it. `parts` are further pages of the same file. `site` names a generator that builds a
 * site from files of the source; its pages were read by the generator's rules.
 */
export type SourceEvent =
  | { type: 'page'; page: Page; parts?: Page[]; validator?: string; includes?: string[] }
  | { type: 'unchanged'; url: string; validator?: string }
  | { type: 'skipped'; path: string; reason: string }
  | { type: 'ignored'; extensions: Record<string, number> }
  | { type: 'license'; text: string | null }
  | { type: 'site'; generator: string; folder: string; pages: number }
  | { type: 'failed'; url: string; reason: string; isFolder?: true }

/**
 * url → validator for the pages of the previous reading. A source may report those as `unchanged`.
 */
export type KnownPages = ReadonlyMap<string, string>
