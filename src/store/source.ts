/**
 * The origin of a library's documentation, as stored with a library version.
 *
 * - `path` is absolute. For `raw_pages`, it is a folder with upstream's JSON files of pages.
 * - `url` is anything that git accepts: a URL, or the absolute path of a bundle.
 * - `docsPaths` are folders, files or globs in the repository or folder, separated by `/`. An empty
 *   list selects everything.
 * - `refPath` exists only between `detectSource` and `resolveSource`. For `…/tree/v1.0/docs/en`, it
 *   is `v1.0/docs/en`. Only the repository knows which part is the ref.
 * - The `url` of an archive is an http(s) URL or an absolute path. Its `docsPaths` work as in a
 *   repository.
 * - The pages of a `site` are found by following links from its URL to pages below it.
 * - A `package` is replaced when it is looked up: its `url` is `npm:zod`, and the resulting source
 *   stores that as its `package`.
 * - `api` is undefined unless the user set it. The API reference is then read up to a limit.
 * - `apiArchive` is the archive with the API of a package whose guides come from elsewhere.
 * - `relatives` are archives of other crates whose names a crate re-exports.
 * - `registry` is the URL of the dependencies from which a package re-exports names.
 * - `languages` works as in `SitemapFilter`. If it is undefined, translations are skipped.
 */
export type Source = (
  | ({ kind: 'local_path'; path: string; docsPaths?: string[]; baseUrl?: string } & Spoken)
  | ({ kind: 'git_repo'; url: string; docsPaths: string[]; refPath?: string } & Spoken)
  | { kind: 'raw_pages'; path: string }
  | ({ kind: 'sitemap'; url: string } & SitemapFilter)
  | ({ kind: 'llms_txt'; url: string } & SitemapFilter)
  | ({ kind: 'site'; url: string } & SitemapFilter)
  | { kind: 'web_page'; url: string }
  | ({ kind: 'archive'; url: string; docsPaths: string[]; baseUrl?: string } & Spoken)
  | { kind: 'package'; url: string; version?: string }
) & {
  package?: string
  api?: ApiChoice
  apiArchive?: string
  relatives?: string[]
  registry?: string
}

/** Parts of a source to read: guides and API reference, only the reference, or only guides. */
export const apiChoices = ['with', 'only', 'none'] as const
export type ApiChoice = (typeof apiChoices)[number]

export type SourceGap = {
  /** For example, `cannot reach github.com`. */
  reason: string
  host: string | null
  /** The source as the user named it. `og update` resolves it again. */
  intended?: Source
}

type Spoken = { languages?: string[] }

/** Selects pages from a site's list. An empty list selects all. */
export type SitemapFilter = {
  /** The path must contain one of these, ignoring case. The host does not count. */
  filterKeywords: string[]
  /** The path must not contain any of these. */
  exclude: string[]
  languages: string[]
  trimQueryParams: boolean
  /** Path of a page, `/guide` or `/guide/`. Selects this page and the pages below it. */
  below?: string
}

export function displaySource(source: Source): string {
  return 'path' in source ? source.path : source.url
}
