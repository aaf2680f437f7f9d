import { existsSync } from 'node:fs'
import { lstat, mkdir, realpath, stat } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { isRecord } from '../../platform/json.ts'
import { messageOf, OgError } from '../../platform/error.ts'
import { editTextFile } from '../../platform/file/edit-file.ts'
import { lockExclusive } from '../../platform/lock.ts'
import { displaySource, type SitemapFilter, type Source } from '../../store/source.ts'
import type { ListedSource, SourceEntry } from './source-list.ts'
import { localPath, reasonToConfirm } from './source-trust.ts'
import {
  isSameFolder,
  parseSourcesFile,
  projectSources,
  readSourcesFile,
  userSources,
} from './sources-file.ts'

type SaveRequest = {
  library: string
  source: ListedSource
  cwd: string
  home: string
  lists: string
}

type Saved = { paths: string[]; problems: OgError[] }

/**
 * Stores a library's source in the user's sources.json. If the current folder has a `.openground`
 * (which is never created here), also stores it in the sources.json there. Other people read a
 * project's file, so it gets no passwords, and only sources that those people may read without
 * confirming. An unreadable file stays unchanged.
 */
export async function saveSource(request: SaveRequest): Promise<Saved> {
  const { library, source, cwd, home, lists } = request
  const saved: Saved = { paths: [], problems: [] }
  const save = async (path: string, entry: SourceEntry, mode?: number) => {
    const change = (before: unknown) => merged(before, entry)
    const outcome = await editEntry({ lists, path, library, mode }, change).catch(
      (error) =>
        new OgError(`Cannot write sources file "${path}": ${messageOf(error)}`, { cause: error }),
    )
    if (outcome instanceof OgError) saved.problems.push(outcome)
    else if (outcome) saved.paths.push(path)
  }
  await mkdir(lists, { recursive: true }).catch(() => {})
  // Only the user may read the file because a URL in it may contain a password.
  await save(userSources(lists), sourceEntryOf(source), 0o600)
  if (!existsSync(dirname(projectSources(cwd))) || (await isSameFolder(cwd, home))) return saved
  const problem = await projectProblem(source, cwd)
  if (problem) saved.problems.push(problem)
  else await save(projectSources(cwd), await projectEntry(source, cwd))
  return saved
}

/**
 * Deletes a removed library's entry from the user's sources.json, if it is exactly the entry that
 * og wrote for one of the removed versions. An entry that a person changed stays.
 * @returns the path of the changed file, or null
 */
export async function forgetSource(
  lists: string,
  { library, sources }: { library: string; sources: readonly Source[] },
): Promise<string | null> {
  const path = userSources(lists)
  if (!existsSync(path)) return null
  const ownEntries = sources.flatMap((source) => {
    const listed = toListedSource(source)
    return listed === null ? [] : [sourceEntryOf(listed)]
  })
  const isWritten = (entry: unknown) => ownEntries.some((own) => Bun.deepEquals(own, entry))
  const outcome = await editEntry({ lists, path, library, mode: undefined }, (entry) =>
    isWritten(entry) ? undefined : entry,
  )
  if (outcome instanceof OgError) throw outcome
  return outcome ? path : null
}

type Writing = { lists: string; path: string; library: string; mode: number | undefined }

/** Replaces or deletes a library's entry in a sources.json. Returns false if nothing changed. */
async function editEntry(
  { lists, path, library, mode }: Writing,
  change: (before: unknown) => unknown,
): Promise<boolean | OgError> {
  // All files share one lock in the user's folder, so that no lock file appears in a project.
  const lock = join(lists, 'sources.lock')
  using _lock = await lockExclusive(lock, { timeoutMs: 10_000, what: 'the list of sources' })
  const entries = await readSourcesFile(path)
  if (entries instanceof OgError) return entries
  const plan = (text: string | null) => {
    const all = text === null ? new Map<string, unknown>() : parseSourcesFile(text, path)
    if (all instanceof OgError) throw all
    const before = all.get(library)
    const after = change(before)
    if (Bun.deepEquals(before, after)) return null
    return `${JSON.stringify(Object.fromEntries([...all, [library, after]]), null, 2)}\n`
  }
  try {
    return (await editTextFile(path, { plan, mode, limitMb: 4 })) !== null
  } catch (error) {
    if (error instanceof OgError) return error
    throw error
  }
}

function merged(before: unknown, entry: SourceEntry): SourceEntry {
  if (!isRecord(before) || addressFields.some((name) => before[name] !== entry[name])) return entry
  return { ...before, ...entry }
}

async function projectEntry(source: ListedSource, cwd: string): Promise<SourceEntry> {
  const path = localPath(source)
  if (path === null) return sourceEntryOf(source)
  const below =
    relative(await realpath(cwd), await realpath(path))
      .split(sep)
      .join('/') || '.'
  return sourceEntryOf({ ...source, [source.kind === 'archive' ? 'url' : 'path']: below })
}

/** Returns the error if a source must not be written to a project's file, or null. */
async function projectProblem(source: ListedSource, cwd: string): Promise<OgError | null> {
  const path = projectSources(cwd)
  const refuse = (why: string) => new OgError(`The source was not added to "${path}": ${why}`)
  const folder = await stat(dirname(path))
  if (!folder.isDirectory()) return refuse('.openground is not a folder')
  const links = [dirname(path), path].map((one) => lstat(one).catch(() => null))
  // A symbolic link may lead to any file of the user.
  if ((await Promise.all(links)).some((stats) => stats?.isSymbolicLink())) {
    return refuse('it is a symbolic link')
  }
  if (secret.test(displaySource(source))) {
    return refuse('its address holds a password or token')
  }
  const reason = await reasonToConfirm(source, cwd, async () => [])
  return reason === null ? null : refuse(reason)
}

/** A user name in a web URL is often a token. In an ssh URL, it is only a name. */
const secret = /^(https?:\/\/[^/]*|[^/]*:\/\/[^/:]*:[^/]*)@/i

export function toListedSource(source: Source): ListedSource | null {
  // Lists only the package because another version of it may have its documentation elsewhere.
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

/** Fields that identify the source. All other fields select its pages. */
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
