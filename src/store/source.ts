/**
 * Where documentation comes from, as it is stored with a library version.
 *
 * `path` is absolute; that of `raw_pages` is a folder of upstream's page JSON. `url` is what git
 * understands: an address, or the absolute path of a bundle.
 * `docsPaths` are folders, files or globs inside the repository or folder, `/`-separated; none is
 * all of it.
 * `refPath` stands only between `detectSource` and `resolveSource`: `v1.0/docs/en` of
 * `…/tree/v1.0/docs/en`, where only the repository knows which part is the ref.
 * An archive's `url` is an http(s) address or an absolute path, its `docsPaths` as in a repository.
 * A `site` is read by the links of its pages, from its address on and below that.
 * A `package` stands only until it is looked up: its `url` is `npm:zod`, and what is found for it
 * notes that as its `package`.
 * `api` is absent unless the user chose it: then the API reference is read up to a limit.
 * `apiArchive` is the archive of a package whose guides are read elsewhere; its API is read there.
 * `languages` are those of a `SitemapFilter`; without them translations are left out, everywhere.
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

/** What is read of a source: guides with the API reference, that alone, or guides alone. */
export const apiChoices = ['with', 'only', 'none'] as const
export type ApiChoice = (typeof apiChoices)[number]

/** Why a source was not read whole. */
export type SourceGap = {
  /** `cannot reach github.com`. */
  reason: string
  /** The host that did not answer; null: none is to blame. */
  host: string | null
  /** The source as it was named; `og update` looks it up again. */
  intended?: Source
}

type Spoken = { languages?: string[] }

/** Which of the pages that a site lists are wanted; an empty list asks for nothing. */
export type SitemapFilter = {
  /** One of them has to stand in the path; in small or large letters, never in the host. */
  filterKeywords: string[]
  /** None of them may stand in the path. */
  exclude: string[]
  /** BCP 47, as `en` or `pt-BR`; `en` takes `en-GB` too, `*` all. */
  languages: string[]
  /** The query of an address is cut off. */
  trimQueryParams: boolean
  /** Path of a page, `/guide` or `/guide/`: only it and what is below it. */
  below?: string
}

/** The address or path of a source, as it is shown. */
export function sourcePlace(source: Source): string {
  return 'path' in source ? source.path : source.url
}
