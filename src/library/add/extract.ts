import { mkdir, rename, rm, rmdir, writeFile, readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { OgError } from '../../platform/error.ts'
import { writeFileAtomically } from '../../platform/file/files.ts'
import type { Reach } from '../../platform/reach.ts'
import { formatCount } from '../../platform/text/count.ts'
import { resolveSource, sourcePages } from '../../source/pages.ts'
import { rawFileName, renderRawPage } from '../../source/raw-page.ts'
import {
  rawFileNames,
  rawMarkName,
  readRawMark,
  readRawPage,
  type RawMark,
} from '../../source/raw-pages.ts'
import type { SourceEvent } from '../../source/source.ts'
import type { Source } from '../../store/source.ts'
import { lockVersion } from '../lock.ts'
import { checkVersionLabel, libraryKey } from '../name.ts'

export type ExtractRequest = {
  library: string
  version: string | null
  source: Source
  lockTimeoutMs: number
  onPage?: (pages: number) => void
  onWait?: () => void
  signal?: AbortSignal
}

type ExtractPlaces = {
  /** The store's folder. Its locks make writers of a library version wait for each other. */
  folder: string
  rawDataPath: string
  pageLanes?: number
  reach?: Reach | null
}

export type ExtractResult = {
  library: string
  version: string
  path: string
  pages: number
  skipped: { path: string; reason: string }[]
  failed: { url: string; reason: string }[]
}

/**
 * Reads a source into raw pages without indexing them. Writes all pages to a staging folder and
 * moves them at the end. Deletes pages that the source has lost. Other files stay, including the
 * old file of a page that could not be read.
 * @throws OgError if the source cannot be read or has no page; nothing has changed then
 */
export async function extractPages(
  places: ExtractPlaces,
  request: ExtractRequest,
): Promise<ExtractResult> {
  libraryKey(request.library)
  if (request.version !== null) checkVersionLabel(request.version)
  const { source, version, signal } = request
  const { reach } = places
  const resolved = await resolveSource(source, { version, today: new Date(), signal, reach })
  const path = rawFolder(places.rawDataPath, request.library, resolved.version)
  using _lock = await lockVersion(places.folder, { ...request, version: resolved.version })
  const staging = join(path, '.og-new')
  await rm(staging, { recursive: true, force: true })
  await mkdir(staging, { recursive: true })
  const limits = { lanes: places.pageLanes ?? 8 }
  const events = sourcePages(resolved, { signal, limits, reach })
  const label = { library: request.library, version: resolved.version }
  const outcome = await writePages(events, staging, { ...request, label }).catch(
    (error) => error as Error,
  )
  const usable = outcome instanceof Error || outcome.names.length === 0 ? null : outcome
  if (usable !== null) await replacePages(path, staging, usable)
  await rm(staging, { recursive: true, force: true })
  if (outcome instanceof Error) throw await forgetEmpty(path, outcome)
  if (usable === null) throw await forgetEmpty(path, noPages(request, outcome))
  const { names, skipped, failed } = usable
  const { library } = request
  return { library, version: resolved.version, path, pages: names.length, skipped, failed }
}

type Written = Pick<ExtractResult, 'skipped' | 'failed'> & { names: string[]; kept: string[] }

type Writing = {
  label: { library: string; version: string }
  onPage?: (pages: number) => void
  signal?: AbortSignal
}

async function writePages(
  events: AsyncIterable<SourceEvent>,
  staging: string,
  { label, onPage, signal }: Writing,
): Promise<Written> {
  const outcome: Written = { names: [], kept: [], skipped: [], failed: [] }
  const taken = new Map<string, string>()
  const seen = new Set<string>()
  for await (const event of events) {
    signal?.throwIfAborted()
    if (event.type === 'skipped') outcome.skipped.push({ path: event.path, reason: event.reason })
    if (event.type === 'failed') outcome.failed.push({ url: event.url, reason: event.reason })
    if (event.type !== 'page' || seen.has(event.page.url)) continue
    seen.add(event.page.url)
    const name = rawFileName(event.page.url, taken)
    await writeFile(join(staging, name), renderRawPage(event.page, label))
    outcome.names.push(name)
    onPage?.(outcome.names.length)
  }
  outcome.kept = outcome.failed.map(({ url }) => rawFileName(url, new Map()))
  return outcome
}

/**
 * Moves the staged pages. If the process is killed before the end, the mark `writing` stays and
 * shows that the pages are incomplete.
 */
async function replacePages(path: string, staging: string, { names, kept }: Written) {
  const before = (await readRawMark(path))?.files ?? []
  const stay = new Set([...names, ...kept])
  const old = await rawFileNames(path)
  const gone = await pagesAmong(
    path,
    old.filter((name) => !stay.has(name)),
  )
  await writeMark(path, { state: 'writing', files: [...new Set([...before, ...names])] })
  for (const name of names) await rename(join(staging, name), join(path, name))
  for (const name of gone) await rm(join(path, name))
  const own = [...names, ...before.filter((name) => kept.includes(name) && !names.includes(name))]
  await writeMark(path, { state: 'complete', files: own })
}

async function writeMark(path: string, mark: RawMark): Promise<void> {
  await writeFileAtomically(join(path, rawMarkName), `${JSON.stringify(mark)}\n`)
}

/** Selects the raw pages, because a user may keep other JSON files here. */
async function pagesAmong(path: string, names: string[]): Promise<string[]> {
  const readable: string[] = []
  for (const name of names) {
    if (typeof (await readRawPage(join(path, name))) !== 'string') readable.push(name)
  }
  return readable
}

async function forgetEmpty(path: string, error: Error): Promise<Error> {
  for (const folder of [path, dirname(path)]) await rmdir(folder).catch(() => {})
  return error
}

function noPages(request: ExtractRequest, { skipped, failed }: Written): OgError {
  const first = failed[0] ?? skipped[0]
  const counts = `${formatCount(skipped.length, 'file')} skipped, ${failed.length} failed`
  return new OgError(
    `Cannot extract "${request.library}": no documentation pages (${counts}); nothing was changed`,
    { hint: first && `the first: ${'url' in first ? first.url : first.path}: ${first.reason}` },
  )
}

export type RawVersion = {
  /** The library's name in its pages, or the folder's name. */
  library: string
  version: string
  path: string
}

/**
 * Returns the folder of a library version's raw pages, `name/version` as in upstream.
 * Percent-encodes unsafe names and a `/` in a version.
 */
export function rawFolder(root: string, library: string, version: string): string {
  const parts = libraryKey(library).split('/')
  return join(root, ...parts.map(safeName), safeName(checkVersionLabel(version)))
}

/**
 * Returns every library version with raw pages, ordered by library and version. Also finds versions
 * with a `/`, for which upstream created nested folders.
 */
export async function listRaw(root: string): Promise<RawVersion[]> {
  const folders = await foldersWithPages(root, [])
  const versions = await Promise.all(folders.map((parts) => rawVersion(root, parts)))
  const byName = new Intl.Collator('en', { numeric: true }).compare
  return versions
    .filter((it) => it !== null)
    .sort((a, b) => byName(a.library, b.library) || byName(a.version, b.version))
}

export async function findRaw(
  root: string,
  query: { library: string; version: string | null },
): Promise<RawVersion[]> {
  const key = libraryKey(query.library)
  const mine = (await listRaw(root)).filter((it) => it.library.toLowerCase() === key)
  return mine.filter((it) => query.version === null || it.version === query.version)
}

/** Deeper folders do not belong to any plausible version. */
const maxDepth = 8

async function foldersWithPages(root: string, parts: string[]): Promise<string[][]> {
  const folder = join(root, ...parts)
  const inside = await readdir(folder, { withFileTypes: true }).catch(() => [])
  const isPage = inside.some((it) => it.isFile() && it.name.endsWith('.json'))
  const own = isPage && parts.length >= 2 ? [parts] : []
  if (parts.length >= maxDepth) return own
  const folders = inside.filter((it) => it.isDirectory() && !it.name.startsWith('.'))
  const nested = folders.map(({ name }) => foldersWithPages(root, [...parts, name]))
  return [...own, ...(await Promise.all(nested)).flat()]
}

async function rawVersion(root: string, parts: string[]): Promise<RawVersion | null> {
  const path = join(root, ...parts)
  const scope = parts[0]!.startsWith('@') && parts.length > 2 ? 2 : 1
  const folder = parts.slice(0, scope).map(plainName).join('/')
  const version = parts.slice(scope).map(plainName).join('/')
  const [first] = await rawFileNames(path)
  const page = first === undefined ? '' : await readRawPage(join(path, first)).catch(() => '')
  const name = typeof page === 'string' ? folder : page.library_name
  const library = name.toLowerCase() === folder.toLowerCase() ? name : folder
  return { library, version, path }
}

function safeName(name: string): string {
  const encoded = name.replace(
    /[%/\\:*?"<>|\u0000-\u001f\u007f]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  )
  return encoded.replace(/^\./, '%2E')
}

function plainName(name: string): string {
  return name.replace(/%([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(parseInt(hex, 16)))
}
