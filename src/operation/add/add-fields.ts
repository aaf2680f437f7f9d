import { apiChoices } from '../../store/source.ts'
import type { InputOf } from '../operation.ts'

export const defaultLockSeconds = 600

export const lockFields = {
  lock_timeout: {
    type: 'whole',
    min: 0,
    max: 86_400,
    doc: 'seconds to wait for another og that writes the same version',
  },
} as const

export const publishFields = {
  min_health: {
    type: 'whole',
    min: 0,
    max: 100,
    doc:
      'publish only if the search health (og eval --self) is at least this; measures ' +
      'unchanged versions too',
  },
  ...lockFields,
} as const

/** Returns the lock timeout of an input in milliseconds. */
export function lockTimeoutMs({ lock_timeout }: InputOf<typeof lockFields>): number {
  return (lock_timeout ?? defaultLockSeconds) * 1000
}

/** Fields that select the source and its pages. */
export const sourceFields = {
  source: { type: 'text', maxLength: 2_000, doc: 'source of the documentation' },
  version: {
    type: 'text',
    maxLength: 200,
    doc: 'tag, branch or range; for other sources, the name of the version',
  },
  docs_path: {
    type: 'texts',
    doc: 'folder, file or glob in the repository, folder or archive; "/" selects all',
  },
  api: {
    type: 'text',
    choices: apiChoices,
    doc: 'API reference, read from source files: with the guides (all of it), only, or none',
  },
  language: {
    type: 'texts',
    doc: 'only pages in these languages, such as en or pt-BR; "*" means all',
  },
  filter_keyword: {
    type: 'texts',
    doc: 'sites: only pages whose path contains one of these words',
  },
  exclude: { type: 'texts', doc: 'sites: no pages whose path contains one of these words' },
  below: {
    type: 'text',
    maxLength: 2_000,
    doc: 'sites: only the page at this path, such as /guide/, and pages below it',
  },
  follow_links: { type: 'switch', doc: 'sites: follow links from the URL and ignore sitemaps' },
  only_page: { type: 'switch', doc: 'sites: only the page at the URL' },
  trim_query_params: { type: 'switch', doc: 'sites: remove the query (?…) from page URLs' },
  base_url: { type: 'text', doc: 'base URL of the published pages of a folder or archive' },
} as const

export const addFields = {
  library: {
    type: 'text',
    required: true,
    maxLength: 2_000,
    doc: 'name of the library, or its source',
  },
  as: { type: 'text', doc: 'name of the library, if LIBRARY is a source' },
  ...sourceFields,
  sources_file: { type: 'text', doc: 'sources.json to search first for the source' },
  force: { type: 'switch', doc: 'publish even if more than a fifth of the pages is missing' },
  dry_run: { type: 'switch', doc: 'print the plan without indexing' },
  ...publishFields,
} as const

export type AddInput = InputOf<typeof addFields>
