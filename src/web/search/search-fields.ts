import { toScope, type Scope } from '../../operation/search.ts'
import { pageKinds } from '../../page/page-kind.ts'

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

export function searchAddress(fields: Partial<SearchFields>, path = '/'): string {
  const said = names.flatMap((name) => (fields[name] ? [[name, fields[name]] as const] : []))
  return said.length === 0 ? path : `${path}?${new URLSearchParams(said.map(([...pair]) => pair))}`
}

/** Converts the form to a search scope. @throws OgError for an unknown kind or two versions */
export function scopeOfFields({ library, version, path, kind, language }: SearchFields): Scope {
  return toScope({
    library: library || null,
    version: version || null,
    path: path || null,
    kind: kind || null,
    language: language || null,
  })
}

export const kindNames: readonly string[] = pageKinds
