import { field, type InputOf } from '../field.ts'
import { apiChoices } from '../../store/source.ts'

export const defaultLockSeconds = 600

export const lockFields = {
  lock_timeout: field.whole('seconds to wait for another og that writes the same version', {
    min: 0,
    max: 86_400,
  }),
} as const

export const publishFields = {
  min_health: field.whole(
    'publish only if the search health (og eval --self) is at least this; measures ' +
      'unchanged versions too',
    { min: 0, max: 100 },
  ),
  ...lockFields,
} as const

export function lockTimeoutMs({ lock_timeout }: InputOf<typeof lockFields>): number {
  return (lock_timeout ?? defaultLockSeconds) * 1000
}

/** Fields that select the source and its pages. */
export const sourceFields = {
  source: field.text('source of the documentation', { maxLength: 2_000 }),
  version: field.text('tag, branch or range; for other sources, the name of the version', {
    maxLength: 200,
  }),
  docs_path: field.texts(
    'folder, file or glob in the repository, folder or archive; "/" selects all',
  ),
  api: field.text(
    'API reference, read from source files: with the guides (all of it), only, or none',
    { choices: apiChoices },
  ),
  language: field.texts('only pages in these languages, such as en or pt-BR; "*" means all'),
  filter_keyword: field.texts('sites: only pages whose path contains one of these words'),
  exclude: field.texts('sites: no pages whose path contains one of these words'),
  below: field.text('sites: only the page at this path, such as /guide/, and pages below it', {
    maxLength: 2_000,
  }),
  follow_links: field.flag('sites: follow links from the URL and ignore sitemaps'),
  only_page: field.flag('sites: only the page at the URL'),
  trim_query_params: field.flag('sites: remove the query (?…) from page URLs'),
  base_url: field.text('base URL of the published pages of a folder or archive'),
} as const

export const addFields = {
  library: field.text('name of the library, or its source', { required: true, maxLength: 2_000 }),
  as: field.text('name of the library, if LIBRARY is a source'),
  ...sourceFields,
  sources_file: field.text('sources.json to search first for the source'),
  force: field.flag('publish even if more than a fifth of the pages is missing'),
  dry_run: field.flag('print the plan without indexing'),
  ...publishFields,
} as const

export type AddInput = InputOf<typeof addFields>
