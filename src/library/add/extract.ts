import { mkdir, rename, rm, rmdir, writeFile } from 'node:fs/promises'
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
import { rawFolder } from './raw.ts'

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
  /**
   * The store. The folder of the store, with the locks by which writers of a library version wait
   * for each other.
   */
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
 * Reads a source into raw pages, without indexing them. All pages are first written to a staging
 * folder and moved at the end. Deletes pages that the source has lost. Other files stay, including
 * the old file of a page that could not be read.
 * @throws OgError if the source cannot be read or has no page; nothing was changed then
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
  const named = { library: request.library, version: resolved.version }
  const written = await writePages(events, staging, { ...request, named }).catch(
    (error) => error as Error,
  )
  const usable = written instanceof Error || written.names.length === 0 ? null : written
  if (usable !== null) await replacePages(path, staging, usable)
  await rm(staging, { recursive: true, force: true })
  if (written instanceof Error) throw await forgetEmpty(path, written)
  if (usable === null) throw await forgetEmpty(path, noPages(request, written))
  const { names, skipped, failed } = usable
  const { library } = request
  return { library, version: resolved.version, path, pages: names.length, skipped, failed }
}

type Written = Pick<ExtractResult, 'skipped' | 'failed'> & { names: string[]; kept: string[] }

type Writing = {
  named: { library: string; version: string }
  onPage?: (pages: number) => void
  signal?: AbortSignal
}

async function writePages(
  events: AsyncIterable<SourceEvent>,
  staging: string,
  { named, onPage, signal }: Writing,
): Promise<Written> {
  const written: Written = { names: [], kept: [], skipped: [], failed: [] }
  const taken = new Map<string, string>()
  const seen = new Set<string>()
  for await (const event of events) {
    signal?.throwIfAborted()
    if (event.type === 'skipped') written.skipped.push({ path: event.path, reason: event.reason })
    if (event.type === 'failed') written.failed.push({ url: event.url, reason: event.reason })
    if (event.type !== 'page' || seen.has(event.page.url)) continue
    seen.add(event.page.url)
    const name = rawFileName(event.page.url, taken)
    await writeFile(join(staging, name), renderRawPage(event.page, named))
    written.names.push(name)
    onPage?.(written.names.length)
  }
  written.kept = written.failed.map(({ url }) => rawFileName(url, new Map()))
  return written
}

/**
 * If the process is killed during this block, the mark stays at `writing`, which shows that the
 * pages are incomplete.
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

/** Replaces only raw pages, because a user may keep other JSON files here. */
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
