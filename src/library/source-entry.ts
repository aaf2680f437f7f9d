import { join, resolve } from 'node:path'
import { OgError } from '../platform/error.ts'
import { beginsWithForge, repositoryOf } from '../source/address.ts'
import { cleanDocsPath } from '../source/docs-path.ts'
import { checkRepositoryUrl, isAbsolutePath, isScpForm } from '../source/repository-url.ts'
import type { Source } from '../source/source.ts'

/** What an entry of sources.json means: openground knows three kinds. */
export type ListedSource = Extract<Source, { kind: 'git_repo' | 'local_path' | 'sitemap' }>

/** An entry as a file holds it: upstream's fields, `exclude`, `base_url`, `trim_query_params`. */
export type SourceEntry = Record<string, unknown>

type EntryPlace = {
  /** The entry, for messages: `"react" in /a/sources.json`. */
  what: string
  /**
   * The folder that holds the file, or its `.openground`: relative paths are below it, never below
   * the one that og happens to run in (W-13).
   */
  folder: string
  home: string
}

/**
 * The source that an entry describes.
 * @throws OgError that says which field cannot be used.
 */
export function parseSourceEntry(entry: unknown, place: EntryPlace): ListedSource {
  const refuse = (why: string): never => {
    const hint = 'correct the file, or name the source with --source'
    throw new OgError(`Cannot use ${place.what}: ${why}`, { hint })
  }
  if (!isObject(entry)) return refuse('it is no JSON object')
  const fields = { entry, refuse, place }
  switch (entry.type) {
    case 'git_repo':
      return gitSource(fields)
    case 'sitemap':
      return sitemapSource(fields)
    case 'local_path': {
      const path = expanded(text(fields, 'local_path'), place)
      const { base_url: baseUrl } = entry
      const base = baseUrl === undefined ? {} : { baseUrl: address(fields, 'base_url') }
      return { kind: 'local_path', path, ...base }
    }
    default:
      return refuse(`its "type" is ${JSON.stringify(entry.type)}, and not git_repo, sitemap or ` +
        'local_path')
  }
}

/** The source, if sources.json has a form for its kind; else null. */
export function listable(source: { kind: string }): ListedSource | null {
  const kinds = ['git_repo', 'local_path', 'sitemap']
  return kinds.includes(source.kind) ? (source as ListedSource) : null
}

/** The entry that describes a source, in upstream's fields. */
export function sourceEntryOf(source: ListedSource): SourceEntry {
  if (source.kind === 'git_repo') {
    return { type: 'git_repo', repo_url: source.url, docs_paths: source.docsPaths }
  }
  if (source.kind === 'local_path') {
    const { baseUrl } = source
    const base = baseUrl ? { base_url: baseUrl } : {}
    return { type: 'local_path', local_path: source.path, ...base }
  }
  const { url, filterKeywords, exclude, languages, trimQueryParams } = source
  return {
    type: 'sitemap',
    sitemap_url: url,
    filter_keywords: filterKeywords,
    ...(exclude.length > 0 ? { exclude } : {}),
    ...(languages.length > 0 ? { languages } : {}),
    ...(trimQueryParams ? { trim_query_params: true } : {}),
  }
}

export function isObject(value: unknown): value is SourceEntry {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

type Fields = { entry: SourceEntry; place: EntryPlace; refuse(why: string): never }

function gitSource(fields: Fields): ListedSource {
  const typed = text(fields, 'repo_url')
  const docsPaths = texts(fields, 'docs_paths').map(cleanDocsPath).filter((path) => path !== '')
  const url = beginsWithForge(typed) ? `https://${typed}` : typed
  const isAddress = /^[a-z][a-z0-9+.-]+:/i.test(url) || isScpForm(url)
  const named = isAddress ? url : expanded(url, fields.place)
  checkRepositoryUrl(named)
  const isWeb = /^https?:/i.test(named) && URL.canParse(named)
  const { url: plain, refPath } = (isWeb && repositoryOf(new URL(named))) || { url: named }
  return { kind: 'git_repo', url: plain, docsPaths, ...(refPath ? { refPath } : {}) }
}

function sitemapSource(fields: Fields): ListedSource {
  return {
    kind: 'sitemap',
    url: address(fields, 'sitemap_url'),
    filterKeywords: texts(fields, 'filter_keywords'),
    exclude: texts(fields, 'exclude'),
    languages: texts(fields, 'languages'),
    trimQueryParams: fields.entry.trim_query_params === true,
  }
}

function address(fields: Fields, name: string): string {
  const typed = text(fields, name)
  if (/^https?:\/\//i.test(typed) && URL.canParse(typed)) return typed
  return fields.refuse(`its "${name}" is ${JSON.stringify(typed)}, which is no http address`)
}

function text({ entry, refuse }: Fields, name: string): string {
  const value = entry[name]
  if (typeof value !== 'string') return refuse(`its "${name}" is no text`)
  return plain(value, name, refuse)
}

function texts({ entry, refuse }: Fields, name: string): string[] {
  const value = entry[name] ?? []
  if (!Array.isArray(value)) return refuse(`its "${name}" is no list`)
  const word = (one: unknown) =>
    typeof one === 'string' ? plain(one, name, refuse) : refuse(`its "${name}" holds no texts`)
  return value.map(word)
}

/** What looks like an option is none of a source's values (W-60), whoever wrote it. */
function plain(value: string, name: string, refuse: Fields['refuse']): string {
  const shown = JSON.stringify(value)
  if (value === '') return refuse(`its "${name}" is empty`)
  if (value.startsWith('-')) return refuse(`its "${name}" ${shown} looks like an option`)
  return /[\0-\x1f\x7f]/.test(value) ? refuse(`its "${name}" ${shown} cannot be used`) : value
}

function expanded(path: string, { folder, home }: EntryPlace): string {
  if (path === '~') return home
  if (/^~[\\/]/.test(path)) return join(home, path.slice(2))
  return isAbsolutePath(path) ? path : resolve(folder, path)
}
