import type { Page } from '../page/page.ts'
import type { Source } from '../store/source.ts'

/** A source with the version settled: what will be read, and under which label it is kept. */
export type ResolvedSource = {
  source: Source
  /**
   * The label: the tag or branch as the repository spells it, `latest`, the name of the commit that
   * is checked out, or `local-YYYY-MM-DD`.
   */
  version: string
  /**
   * The short name of the tag or branch (for `latest` the default branch), or a commit. Null if
   * files are read as they are on this disk.
   */
  ref: string | null
  refKind?: RefKind
  commit: string | null
  /** The tag of the commit, if a branch was read that has one. */
  tag?: string | null
  /** Files of a working tree that differ from `commit`. */
  changes?: number
  /** Another name of the commit, if `version` is its tag and cannot be used. */
  longLabel?: string
  /** True if the label was made from the state of files here; it changes with them. */
  follows?: boolean
}

export type RefKind = 'tag' | 'branch' | 'commit'

/**
 * An event of reading a source: a page, or what was left out by rule (`skipped`) or could not be
 * read (`failed`).
 * `validator` is the source's own note (a blob id, an ETag, size and mtime) by which it can tell
 * later, without reading the page, that it has not changed: then the page is `unchanged`.
 * `includes` are the paths, in the repository or work tree, of the files whose text stands in the
 * page, or would if they existed: the page changes with them.
 * `license` is the text of the licence at the top of the source; null: it has none now, but pages
 * are known that may have been stored with one.
 * A `failed` page keeps its old text; a folder that could not be listed keeps all pages in it.
 */
export type SourceEvent =
  | { type: 'page'; page: Page; validator?: string; includes?: string[] }
  | { type: 'unchanged'; url: string; validator?: string }
  | { type: 'skipped'; path: string; reason: string }
  | { type: 'license'; text: string | null }
  | { type: 'failed'; url: string; reason: string; isFolder?: true }

/** url → validator of the pages of the previous reading; a source may then say `unchanged`. */
export type KnownPages = ReadonlyMap<string, string>
