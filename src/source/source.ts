import type { ApiCoverage } from '../api/coverage.ts'
import type { Page } from '../page/page.ts'
import type { Source } from '../store/source.ts'

export type ResolvedSource = {
  source: Source
  version: string
  /**
   * The short name of the tag or branch (the default branch for `latest`), or a commit. Null if
   * local files are read as they are.
   */
  ref: string | null
  refKind?: RefKind
  commit: string | null
  /** The commit's tag, if a branch was read and its head has a tag. */
  tag?: string | null
  changes?: number
  /** A different name for the commit, used if `version` is its tag and cannot be used. */
  longLabel?: string
  /** True if the label is derived from the state of local files and changes with it. */
  follows?: boolean
}

export type RefKind = 'tag' | 'branch' | 'commit'

/**
 * An event from reading a source: a page, a path excluded by a rule (`skipped`), or a page that
 * could not be read (`failed`). A `failed` page keeps its old text. A folder that could not be
 * listed keeps all its pages. `validator` is a source-specific token (a blob id, an ETag, size and
 * mtime) that later shows, without reading the page, whether it is unchanged. The event is then
 * `unchanged`. `includes` are the paths, in the repository or working tree, of the files whose text
 * the page includes or would include if they existed; the page changes with them. `license` is the
 * licence text at the top of the source. It is null if the source now has none but known pages may
 * have been stored with one. `parts` are other pages from the same file. `site` names the generator
 * of the site by whose rules the pages were read. `order` precedes the pages. It lists their paths
 * in the order of the sites' navigations, and the labels of the sections above them, one per line.
 * `coverage` follows the pages of an API reference unless they are unchanged.
 */
export type SourceEvent =
  | { type: 'page'; page: Page; parts?: Page[]; validator?: string; includes?: string[] }
  | { type: 'unchanged'; url: string; validator?: string }
  | { type: 'skipped'; path: string; reason: string }
  | { type: 'ignored'; extensions: Record<string, number> }
  | { type: 'license'; text: string | null }
  | { type: 'site'; generator: string; folder: string; pages: number }
  | { type: 'order'; paths: string[]; sections?: Map<string, string> }
  | ({ type: 'coverage' } & ApiCoverage)
  | { type: 'failed'; url: string; reason: string; isFolder?: true }

export type KnownPages = ReadonlyMap<string, string>
