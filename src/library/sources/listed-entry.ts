import type { SitemapFilter, Source } from '../../store/source.ts'
import type { ListedSource, SourceEntry } from './source-entry.ts'

export function toListedSource(source: Source): ListedSource | null {
  // Lists only the package, because another version of it may have its documentation elsewhere.
  const { package: name, api } = source
  if (name !== undefined) return { kind: 'package', url: name, ...(api ? { api } : {}) }
  return source.kind === 'raw_pages' ? null : source
}

export function sourceEntryOf(source: ListedSource): SourceEntry {
  const type = source.kind
  switch (source.kind) {
    case 'git_repo':
      return { type, repo_url: source.url, docs_paths: source.docsPaths, ...optional(source) }
    case 'local_path':
      return { type, local_path: source.path, ...docsPathsOf(source), ...optional(source) }
    case 'archive':
      return { type, archive: source.url, docs_paths: source.docsPaths, ...optional(source) }
    case 'package':
      return { type, package: source.url, ...optional(source) }
    case 'web_page':
      return { type, page_url: source.url, ...optional(source) }
    default: {
      const { url, filterKeywords } = source
      const place = { [`${source.kind}_url`]: url }
      return { type, ...place, filter_keywords: filterKeywords, ...optional(source) }
    }
  }
}

/** The fields that identify the source; the other fields select its pages. */
export const addressFields = [
  'type',
  'repo_url',
  'sitemap_url',
  'local_path',
  'archive',
  'page_url',
  'llms_txt_url',
  'site_url',
  'package',
]

function docsPathsOf({ docsPaths = [] }: { docsPaths?: string[] }): SourceEntry {
  return docsPaths.length > 0 ? { docs_paths: docsPaths } : {}
}

function optional(fields: Partial<SitemapFilter> & Pick<Source, 'api'> & { baseUrl?: string }) {
  const { api, baseUrl, exclude = [], languages = [], trimQueryParams, below } = fields
  return {
    ...(baseUrl ? { base_url: baseUrl } : {}),
    ...(exclude.length > 0 ? { exclude } : {}),
    ...(languages.length > 0 ? { languages } : {}),
    ...(trimQueryParams ? { trim_query_params: true } : {}),
    ...(below ? { below } : {}),
    ...(api ? { api } : {}),
  }
}
