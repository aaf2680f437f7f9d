import { kindsOf, type PageFilter } from '../../search/scope/page-filter.ts'
import { pageKinds } from '../../page/page-kind.ts'
import { withVersionInName } from '../../version/version-in-name.ts'

/** The fields of the search form, trimmed; '' for an empty one. */
export type SearchFields = {
  q: string
  library: string
  version: string
  path: string
  kind: string
  language: string
}

const names = ['q', 'library', 'version', 'path', 'kind', 'language'] as const

export function searchFields(params: URLSearchParams): SearchFields {
  const values = names.map((name) => [name, (params.get(name) ?? '').trim()])
  return Object.fromEntries(values) as SearchFields
}

/** The address of a search; it holds the whole state of the form. */
export function addressOf(fields: Partial<SearchFields>, path = '/'): string {
  const said = names.flatMap((name) => (fields[name] ? [[name, fields[name]] as const] : []))
  return said.length === 0 ? path : `${path}?${new URLSearchParams(said.map(([...pair]) => pair))}`
}

/** The fields as options of a search. @throws OgError for an unknown kind or two versions. */
export function wishOf({ library, version, path, kind, language }: SearchFields) {
  const filter: PageFilter = {
    paths: listed(path, /,(?![^{]*\})/),
    languages: listed(language),
    kinds: kindsOf(listed(kind)),
  }
  return { ...withVersionInName({ library: library || null, version: version || null }), filter }
}

export const kindNames: readonly string[] = pageKinds

function listed(text: string, separator: RegExp = /,/): string[] {
  return text.split(separator).map((one) => one.trim()).filter((one) => one !== '')
}
