import type { Page } from '../page/page.ts'
import type { Source } from '../store/source.ts'

/** A source with the version settled: what will be read, and under which label it is kept. */
export type ResolvedSource = {
  source: Source
  /** The label: the tag or branch as the repository spells it, `latest`, or `local-YYYY-MM-DD`. */
  version: string
  /** The short name of the tag or branch (for `latest` the default branch), or a commit. */
  ref: string | null
  refKind?: RefKind
  commit: string | null
}

export type RefKind = 'tag' | 'branch' | 'commit'

/**
 * Reading a source yields pages; what is left out by rule, and what could not be read, is data.
 * `validator` is the source's own note (a blob id, an ETag, size and mtime) by which it can tell
 * later, without reading the page, that it has not changed: then the page is `unchanged`.
 * `includes` are the files whose text stands in the page, or would if they were there, by their
 * paths in the repository or work tree: the page changes with them.
 * `license` is the text of the licence at its top; null where it has none and pages are known,
 * which had one perhaps.
 * Of a `failed` page the old text stays; of a folder that could not be listed, all pages in it.
 */
export type SourceEvent =
  | { type: 'page'; page: Page; validator?: string; includes?: string[] }
  | { type: 'unchanged'; url: string; validator?: string }
  | { type: 'skipped'; path: string; reason: string }
  | { type: 'license'; text: string | null }
  | { type: 'failed'; url: string; reason: string; isFolder?: true }

/** url → validator of the pages that the state before has; a source may then say `unchanged`. */
export type KnownPages = ReadonlyMap<string, string>
