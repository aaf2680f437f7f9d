/**
 * The origin of a library's documentation, as stored with a library version.
 *
 * - `path` is absolute; for `raw_pages` it is a folder of upstream's page JSON.
 * - `url` is anything git understands: an address, or the absolute path of a bundle.
 * - `docsPaths` are folders, files or globs inside the repository or folder, separated by `/`; an
 *   empty list means everything.
 * - `refPath` exists only between `detectSource` and `resolveSource`: it is `v1.0/docs/en` for
 *   `…/tree/v1.0/docs/en`, where only the repository knows which part is the ref.
 * - The `url` of an archive is an http(s) address or an absolute path; its `docsPaths` work as in
 *   a repository.
 * - A `site` is read by following links from its URL to pages below it.
 * - A `package` exists only until it is looked up: its `url` is `npm:zod`, and the resulting
 *   source stores that as its `package`.
 * - `api` is absent unless the user chose it; then the API reference is read up to a limit.
 * - `apiArchive` is the archive from which the API of a package is read if its guides come from
 *   elsewhere.
 * - `languages` works as in `SitemapFilter`; without it, translations are skipped.
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
) & { package?: string; api?: ApiChoice; apiArchive?: string }

/** Parts of a source to read: guides and API reference, only the reference, or only guides. */
export const apiChoices = ['with', 'only', 'none'] as const
export type ApiChoice = (typeof apiChoices)[number]

/** The reason why a source was only partly read. */
export type SourceGap = {
  /** For example `cannot reach github.com`. */
  reason: string
  /** The host that did not answer; null if the reason is another one. */
  host: string | null
  /** The source as the user named it; `og update` resolves it again. */
  intended?: Source
}

type Spoken = { languages?: string[] }

/** Selects pages from the list of a site; an empty list does not restrict anything. */
export type SitemapFilter = {
  /** The path must contain one of these, ignoring case; the host is not searched. */
  filterKeywords: string[]
  /** The path must not contain any of these. */
  exclude: string[]
  /** BCP 47 tags such as `en` or `pt-BR`. `en` also selects `en-GB`, and `*` selects everything. */
  languages: string[]
  /** Strips the query from addresses. */
  trimQueryParams: boolean
  /** Path of a page, `/guide` or `/guide/`: selects only this page and pages below it. */
  below?: string
}

/** The address or path of a source for display. */
export function displaySource(source: Source): string {
  return 'path' in source ? source.path : source.url
}
