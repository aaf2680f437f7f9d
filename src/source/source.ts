import type { Page } from '../page/page.ts'

/**
 * Where documentation comes from, as it is stored with a library version.
 *
 * `path` is absolute; that of `raw_pages` is a folder of upstream's page JSON. `url` is what git
 * understands: an address, or the absolute path of a bundle.
 * `docsPaths` are folders, files or globs inside the repository, `/`-separated; none is all of it.
 * `refPath` stands only between `detectSource` and `resolveSource`: `v1.0/docs/en` of
 * `…/tree/v1.0/docs/en`, where only the repository knows which part is the ref.
 * An archive's `url` is an http(s) address or an absolute path, its `docsPaths` as in a repository.
 * `languages` are those of a `PageFilter`; without them translations are left out, everywhere.
 */
export type Source =
  | ({ kind: 'local_path'; path: string; baseUrl?: string } & Spoken)
  | ({ kind: 'git_repo'; url: string; docsPaths: string[]; refPath?: string } & Spoken)
  | { kind: 'raw_pages'; path: string }
  | ({ kind: 'sitemap'; url: string } & PageFilter)
  | ({ kind: 'llms_txt'; url: string } & PageFilter)
  | { kind: 'web_page'; url: string }
  | ({ kind: 'archive'; url: string; docsPaths: string[]; baseUrl?: string } & Spoken)

type Spoken = { languages?: string[] }

/** Which of the pages that a site lists are wanted; an empty list asks for nothing. */
export type PageFilter = {
  /** One of them has to stand in the path; in small or large letters, never in the host. */
  filterKeywords: string[]
  /** None of them may stand in the path. */
  exclude: string[]
  /** BCP 47, as `en` or `pt-BR`; `en` takes `en-GB` too, `*` all. */
  languages: string[]
  /** The query of an address is cut off. */
  trimQueryParams: boolean
}

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
 * Of a `failed` page the old text stays; of a folder that could not be listed, all pages in it.
 */
export type SourceEvent =
  | { type: 'page'; page: Page; validator?: string; includes?: string[] }
  | { type: 'unchanged'; url: string; validator?: string }
  | { type: 'skipped'; path: string; reason: string }
  | { type: 'failed'; url: string; reason: string; isFolder?: true }

/** url → validator of the pages that the state before has; a source may then say `unchanged`. */
export type KnownPages = ReadonlyMap<string, string>

/** The address or path of a source, as it is shown. */
export function sourcePlace(source: Source): string {
  return 'path' in source ? source.path : source.url
}
