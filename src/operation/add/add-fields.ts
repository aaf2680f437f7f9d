import { apiChoices } from '../../store/source.ts'
import type { InputOf } from '../operation.ts'
import { publishFields } from '../write-fields.ts'

/** Fields that select the source and its pages. */
export const sourceFields = {
  source: { type: 'text', maxLength: 2_000, doc: 'where the documentation comes from' },
  version: {
    type: 'text',
    maxLength: 200,
    doc: 'tag, branch or range; for other sources, the name of the version',
  },
  docs_path: {
    type: 'texts',
    doc: 'folder, file or glob inside the repository, folder or archive; "/" is all of it',
  },
  api: {
    type: 'text',
    choices: apiChoices,
    doc: 'API reference, read from source files: with the guides (all of it), only, or none',
  },
  language: { type: 'texts', doc: 'only pages in these languages, as en or pt-BR; "*" is all' },
  filter_keyword: {
    type: 'texts',
    doc: 'of a site, only pages with one of these words in their path',
  },
  exclude: { type: 'texts', doc: 'of a site, no pages with one of these words in their path' },
  below: {
    type: 'text',
    maxLength: 2_000,
    doc: 'of a site, only the page at this path, as /guide/, and those below it',
  },
  follow_links: {
    type: 'switch',
    doc: 'of a site, follow links from the address on, whatever lists it has',
  },
  only_page: { type: 'switch', doc: 'of a site, only the page at the address' },
  trim_query_params: { type: 'switch', doc: 'of a site, cut ?… off the addresses of pages' },
  base_url: {
    type: 'text',
    doc: 'address under which the pages of a folder or archive are published',
  },
} as const

export const addFields = {
  library: {
    type: 'text',
    required: true,
    maxLength: 2_000,
    doc: 'name of the library, or its source',
  },
  as: { type: 'text', doc: 'name of the library, where a source stands in its place' },
  ...sourceFields,
  sources_file: { type: 'text', doc: 'a sources.json that is asked first for the source' },
  force: { type: 'switch', doc: 'publish although more than a fifth of the pages is lost' },
  dry_run: { type: 'switch', doc: 'say what would be read, and index nothing' },
  ...publishFields,
} as const

export type AddInput = InputOf<typeof addFields>
