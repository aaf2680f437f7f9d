import { dirname, resolve, join } from 'node:path'
import { OgError } from '../../platform/error.ts'
import {
  isSameFolder,
  projectSources,
  readSourcesFile,
  userSources,
  type SourcesFile,
} from './sources-file.ts'
import places from '../../../data/sources.json'
import { isRecord } from '../../platform/json.ts'
import { beginsWithForge, repositoryOf } from '../../source/git/address.ts'
import { packageKey, parsePackage, plainPackageName } from '../../version/package-name.ts'
import { cleanDocsPath } from '../../source/select/docs-path.ts'
import { parseLanguage } from '../../source/select/translations.ts'
import { checkRepositoryUrl } from '../../source/git/repository-url.ts'
import { apiChoices, type ApiChoice, type SitemapFilter, type Source } from '../../store/source.ts'
import { isAbsolutePath, isScpForm } from '../../source/page-address.ts'

export type SourcesPlaces = {
  file: string | null
  /** True if the user gave `file` as an option. The file must then be readable. */
  isTyped?: boolean
  cwd: string
  home: string
  lists: string
}

type Listing = { files: SourcesFile[]; problems: OgError[] }

/**
 * Reads the files in order of precedence: the file in the settings, the current folder's file, the
 * user's file, and the bundled list. Skips and reports unreadable files.
 * @throws OgError if the user gave a file as an option and it cannot be read
 */
export async function readSourcesFiles(places: SourcesPlaces): Promise<Listing> {
  const { file, isTyped = false, cwd, home, lists } = places
  const listing: Listing = { files: [], problems: [] }
  const add = async (origin: SourcesFile['origin'], path: string) => {
    const read = await readSourcesFile(path)
    if (read === null && origin === 'named') {
      listing.problems.push(new OgError(`Cannot read sources file "${path}": no such file`))
    }
    if (read instanceof OgError) listing.problems.push(read)
    else if (read) {
      const folder = origin === 'user' ? home : folderOf(path)
      listing.files.push({ origin, path, folder, entries: read })
    }
  }
  if (file !== null) await add('named', resolve(cwd, file))
  if (isTyped && listing.problems.length > 0) throw listing.problems[0]
  // The home folder is not a project. Its file may be the user's own file.
  if (!(await isSameFolder(cwd, home))) await add('project', projectSources(cwd))
  await add('user', userSources(lists))
  const entries = bundledSources()
  listing.files.push({ origin: 'bundled', path: 'the bundled list', folder: home, entries })
  return listing
}

export async function sourceNames(places: SourcesPlaces): Promise<string[]> {
  const { files } = await readSourcesFiles(places)
  return [...new Set(files.flatMap(({ entries }) => [...entries.keys()]))]
}

export type SourcesFileEntry = { file: SourcesFile; name: string; entry: unknown }

/**
 * Returns a library's entry from the first file that contains it. First compares names exactly, and
 * then without case, `-`, `_` and `.`. Does not merge entries from several files.
 */
export function findSource(
  files: readonly SourcesFile[],
  library: string,
): SourcesFileEntry | null {
  for (const file of files) {
    const name = file.entries.has(library) ? library : likeNamed(file, library)
    if (name !== undefined) return { file, name, entry: file.entries.get(name) }
  }
  return null
}

export function toSource({ file, name, entry }: SourcesFileEntry, home: string): ListedSource {
  const what = `${JSON.stringify(name)} in ${file.path}`
  return parseSourceEntry(entry, { what, folder: file.folder, home })
}

function likeNamed(file: SourcesFile, library: string): string | undefined {
  return [...file.entries.keys()].find(
    (name) => plainPackageName(name) === plainPackageName(library),
  )
}

function folderOf(path: string): string {
  const folder = dirname(path)
  return folder.endsWith('.openground') ? dirname(folder) : folder
}

/**
 * Returns the libraries whose documentation is in a git repository, with the repository's address
 * and the folders and files in English. scripts/build/check-sources.ts checks that they exist.
 */
export function bundledSources(): Map<string, SourceEntry> {
  const entry = ([place, ...parts]: readonly string[]): SourceEntry => {
    const docsPaths = parts.filter((part) => !part.includes(':'))
    const url = `https://${place}.git`
    return { type: 'git_repo', repo_url: url, docs_paths: docsPaths, languages: ['en'] }
  }
  return new Map(Object.entries(places).map(([library, place]) => [library, entry(place)]))
}

/**
 * A source that an entry of sources.json can describe. openground supports only the kinds
 * `git_repo`, `sitemap` and `local_path`. For others it reports that nothing was extracted, and
 * continues with the rest of the file.
 */
export type ListedSource = Exclude<Source, { kind: 'raw_pages' }>

export type SourceEntry = Record<string, unknown>

type EntryPlace = {
  /** Name of the entry in messages: `"react" in /a/sources.json`. */
  what: string
  /**
   * The folder that contains the file or its `.openground`. Relative paths start at this folder,
   * never at the current folder.
   */
  folder: string
  home: string
}

export function parseSourceEntry(entry: unknown, place: EntryPlace): ListedSource {
  const refuse = (why: string): never => {
    const hint = 'correct the file, or name the source with --source'
    throw new OgError(`Cannot use ${place.what}: ${why}`, { hint })
  }
  if (!isRecord(entry)) return refuse('it is not a JSON object')
  const fields = { entry, refuse, place }
  const { type } = entry
  const isKnown = typeof type === 'string' && Object.hasOwn(parsers, type)
  return isKnown ? { ...parsers[type]!(fields), ...apiOf(fields) } : refuse(unknownType(type))
}

type Fields = { entry: SourceEntry; place: EntryPlace; refuse(why: string): never }

const parsers: Record<string, (fields: Fields) => ListedSource> = {
  git_repo: gitSource,
  local_path(fields) {
    const docsPaths = cleanPaths(fields)
    const paths = docsPaths.length > 0 ? { docsPaths } : {}
    const more = { ...paths, ...base(fields), ...spoken(fields) }
    return { kind: 'local_path', path: path(fields, 'local_path'), ...more }
  },
  sitemap: (fields) => ({
    kind: 'sitemap',
    url: address(fields, 'sitemap_url'),
    ...filter(fields),
  }),
  llms_txt: (fields) => ({
    kind: 'llms_txt',
    url: address(fields, 'llms_txt_url'),
    ...filter(fields),
  }),
  site: (fields) => ({ kind: 'site', url: address(fields, 'site_url'), ...filter(fields) }),
  web_page: (fields) => ({ kind: 'web_page', url: address(fields, 'page_url') }),
  package(fields) {
    const name = parsePackage(text(fields, 'package'))
    if (name === null) return fields.refuse('its "package" is not a name like npm:zod')
    return { kind: 'package', url: packageKey(name) }
  },
  archive(fields) {
    const isWeb = /^https?:/i.test(text(fields, 'archive'))
    const url = isWeb ? address(fields, 'archive') : path(fields, 'archive')
    const docsPaths = cleanPaths(fields)
    return { kind: 'archive', url, docsPaths, ...base(fields), ...spoken(fields) }
  },
}

function unknownType(type: unknown): string {
  const quote = JSON.stringify(type)
  return `its "type" is ${quote}, and not ${Object.keys(parsers).join(', ')}`
}

function gitSource(fields: Fields): ListedSource {
  const repository = text(fields, 'repo_url')
  const docsPaths = cleanPaths(fields)
  const url = beginsWithForge(repository) ? `https://${repository}` : repository
  const isAddress = /^[a-z][a-z0-9+.-]+:/i.test(url) || isScpForm(url)
  const address = isAddress ? url : expanded(url, fields.place)
  checkRepositoryUrl(address)
  const isWeb = /^https?:/i.test(address) && URL.canParse(address)
  const { url: plain, refPath } = (isWeb && repositoryOf(new URL(address))) || { url: address }
  const ref = refPath ? { refPath } : {}
  return { kind: 'git_repo', url: plain, docsPaths, ...ref, ...spoken(fields) }
}

function apiOf({ entry: { api }, refuse }: Fields): { api?: ApiChoice } {
  if (api === undefined) return {}
  const choice = apiChoices.find((one) => one === api)
  return choice ? { api: choice } : refuse(`its "api" is not ${apiChoices.join(', ')}`)
}

function cleanPaths(fields: Fields): string[] {
  return texts(fields, 'docs_paths')
    .map(cleanDocsPath)
    .filter((path) => path !== '')
}

function path(fields: Fields, name: string): string {
  return expanded(text(fields, name), fields.place)
}

function base(fields: Fields): { baseUrl?: string } {
  return fields.entry.base_url === undefined ? {} : { baseUrl: address(fields, 'base_url') }
}

function filter(fields: Fields): SitemapFilter {
  return {
    filterKeywords: texts(fields, 'filter_keywords'),
    exclude: texts(fields, 'exclude'),
    languages: languages(fields),
    trimQueryParams: fields.entry.trim_query_params === true,
    ...(fields.entry.below === undefined ? {} : { below: text(fields, 'below') }),
  }
}

function spoken(fields: Fields): { languages?: string[] } {
  const codes = languages(fields)
  return codes.length > 0 ? { languages: codes } : {}
}

/** Keeps only human languages: openground's list also contains `python` and `javascript`. */
function languages(fields: Fields): string[] {
  return texts(fields, 'languages').filter((word) => word === '*' || parseLanguage(word) !== null)
}

function address(fields: Fields, name: string): string {
  const value = text(fields, name)
  if (/^https?:\/\//i.test(value) && URL.canParse(value)) return value
  return fields.refuse(`its "${name}" is ${JSON.stringify(value)}, which is not an http address`)
}

function text({ entry, refuse }: Fields, name: string): string {
  const value = entry[name]
  if (typeof value !== 'string') return refuse(`its "${name}" is not a string`)
  return plain(value, name, refuse)
}

function texts({ entry, refuse }: Fields, name: string): string[] {
  const value = entry[name] ?? []
  if (!Array.isArray(value)) return refuse(`its "${name}" is not a list`)
  const word = (one: unknown) =>
    typeof one === 'string'
      ? plain(one, name, refuse)
      : refuse(`its "${name}" is not a list of strings`)
  return value.map(word)
}

/** Rejects a value that looks like an option, whoever wrote the file. */
function plain(value: string, name: string, refuse: Fields['refuse']): string {
  const quote = JSON.stringify(value)
  if (value === '') return refuse(`its "${name}" is empty`)
  if (value.startsWith('-')) return refuse(`its "${name}" ${quote} looks like an option`)
  return /[\0-\x1f\x7f]/.test(value) ? refuse(`its "${name}" ${quote} cannot be used`) : value
}

function expanded(path: string, { folder, home }: EntryPlace): string {
  if (path === '~') return home
  if (/^~[\\/]/.test(path)) return join(home, path.slice(2))
  return isAbsolutePath(path) ? path : resolve(folder, path)
}
