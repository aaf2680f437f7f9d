import { fullMessageOf, OgError } from '../../platform/error.ts'
import type { Reach } from '../../platform/reach.ts'
import type { SourceChoice } from '../../source/choice/choice.ts'
import { displaySource, type Source } from '../../store/source.ts'
import { readEntries, type Entry } from '../../store/registry.ts'
import type { ListedSource } from '../sources/source-list.ts'
import { reasonToConfirm } from '../sources/source-trust.ts'
import { isAutomaticLabel, isLocalDate } from '../../version/version.ts'
import { addLibrary } from './add.ts'
import type { AddRequest, AddResult, RunRequest } from '../library.ts'
import type { LibraryContext } from '../library-context.ts'
import { pickEntry, pickEntries } from '../../version/pick.ts'
import { basename, dirname } from 'node:path'
import { statSync } from 'node:fs'
import { folderChanges } from '../../platform/file/folder-changes.ts'
import { isExcludedFolder } from '../../source/select/select.ts'

export type UpdateRequest = RunRequest &
  Pick<AddRequest, 'force'> & {
    library: string | null
    version: string | null
    /** A new source. The request must then name a version, unless the library has only one. */
    source?: Source | null
    listed?: (library: string) => Promise<Source | null>
    /** Called for an incompletely read version, unless the request has a new source. */
    chooseAgain?: ChooseAgain
    /** Called first for a version from a pack, unless the request has a new source. */
    newerPack?: UpdateFromPack
  }

/**
 * Updates a version from a pack to the newest pack of that version. Returns null if the pack did
 * not come from a known registry.
 */
export type UpdateFromPack = (packed: {
  library: string
  version: string
  place: string
}) => Promise<AddResult | null>

export type ChooseAgain = (intended: Source, version: string | null) => Promise<SourceChoice>

type UpdateOptions = Omit<UpdateRequest, 'library' | 'version'>

export type VersionOutcome<Result> = { library: string; version: string } & (
  | { result: Result; error: null }
  | { result: null; error: OgError }
)
export type UpdateOutcome = VersionOutcome<AddResult>

/**
 * Updates indexed library versions one after another, each from its own source. If one version
 * fails, the rest continues.
 * @throws OgError if the library or version is not indexed, or the run is interrupted
 */
export async function* updateLibraries(
  context: LibraryContext,
  request: UpdateRequest,
): AsyncGenerator<UpdateOutcome> {
  for (const entry of entriesToUpdate(await readEntries(context.folder), request)) {
    const outcome = await updateEntry(context, entry, request)
    request.signal?.throwIfAborted()
    yield outcome
  }
}

export async function updateEntry(
  context: LibraryContext,
  entry: Entry,
  request: UpdateOptions,
): Promise<UpdateOutcome> {
  return await toOutcome(entry, async () => {
    const {
      library,
      version,
      live: { pack },
    } = entry
    const isPacked = pack !== undefined && !request.source
    const place = pack?.place ?? ''
    const newer = isPacked ? await request.newerPack?.({ library, version, place }) : null
    if (newer) return newer
    const source = await sourceOf(entry, request)
    if (isPacked) await checkForeignSource(entry, source)
    const reach = isPacked ? (context.reach ?? strangersReach) : context.reach
    const intended = source === entry.live.source ? entry.live.incomplete?.intended : undefined
    const again = intended && (await request.chooseAgain?.(intended, packageVersion(intended)))
    const reading = { ...context, reach: again?.reach ?? reach }
    if (again) return addChosen(reading, entry, { again, request })
    return addLibrary(reading, addRequest(entry, source, request))
  })
}

export async function toOutcome<Result extends { version: string }>(
  { library, version }: Entry,
  run: () => Promise<Result>,
): Promise<VersionOutcome<Result>> {
  return await run().then(
    (result) => ({ library, version: result.version, result, error: null }),
    (error) => ({ library, version, result: null, error: asOgError(error) }),
  )
}

/** The pack's maker named its source, so the source must be on a public host. */
const strangersReach: Reach = { hosts: [], folder: null }

async function checkForeignSource({ library, version }: Entry, source: Source): Promise<void> {
  const isHere = 'path' in source || !/^[a-z][a-z0-9+.-]*:|@/i.test(source.url)
  const place = displaySource(source)
  const why = isHere
    ? `of another machine: "${place}"`
    : await reasonToConfirm(source as ListedSource, '/').then(
        (reason) => reason && `elsewhere: ${reason}`,
      )
  if (why === null) return
  throw new OgError(
    `Cannot update library "${library}" version "${version}": its pack names a source ${why}`,
    { hint: `add a newer pack, or give a source: og update ${library} --source SOURCE` },
  )
}

function entriesToUpdate(entries: Entry[], { library, version, source }: UpdateRequest): Entry[] {
  if (library !== null && version !== null) return [pickEntry(entries, { library, version })]
  const byName = new Intl.Collator('en', { numeric: true }).compare
  const any = library === null ? null : pickEntry(entries, { library, version })
  const mine = entries
    .filter((entry) => any === null || entry.key === any.key)
    .sort((a, b) => byName(a.library, b.library) || byName(a.version, b.version))
  if (source && mine.length > 1) {
    const versions = mine.map((entry) => entry.version).join(', ')
    throw new OgError(`Cannot give "${library}" another source: it has several versions`, {
      hint: `choose one with --version: ${versions}`,
    })
  }
  return mine
}

/**
 * Returns an entry's source. Another program wrote raw pages, so the listed source replaces them if
 * there is one and it can distinguish versions.
 */
async function sourceOf(
  entry: Entry,
  { source: newSource, listed }: UpdateOptions,
): Promise<Source> {
  const before = entry.live.source
  if (newSource) return movedSource(before, newSource)
  if (before.kind !== 'raw_pages' || !listed) return before
  const source = await listed(entry.library)
  const { version } = entry
  const isOfVersion = source?.kind === 'git_repo' || version === 'latest' || isLocalDate(version)
  return source !== null && isOfVersion ? source : before
}

function addChosen(
  context: LibraryContext,
  entry: Entry,
  { again, request }: { again: SourceChoice; request: UpdateOptions },
): Promise<AddResult> {
  const { source, version, incomplete } = again
  const plain = addRequest(entry, source, request)
  const label = entry.version
  return addLibrary(context, { ...plain, version: version ?? plain.version, label, incomplete })
}

function packageVersion(source: Source): string | null {
  return source.kind === 'package' ? (source.version ?? null) : null
}

function addRequest(entry: Entry, source: Source, request: UpdateOptions): AddRequest {
  const { lockTimeoutMs, minHealth, onProgress, signal, force } = request
  const { library, version, live } = entry
  const isSame = source === live.source
  const atSource = isSame ? versionAtSource(entry) : version
  return {
    library,
    // A label derived from a folder is derived again.
    version: isAutomaticLabel({ ...live, version }) ? null : atSource,
    label: atSource === version ? undefined : version,
    source,
    incomplete: isSame && live.incomplete?.intended ? live.incomplete : undefined,
    mustBeIndexed: true,
    force,
    lockTimeoutMs,
    minHealth,
    onProgress,
    signal,
  }
}

/** Returns the version as its source spells it: `v1.2.0` for the label `1.2.0`. */
function versionAtSource({ version, live: { source, ref } }: Entry): string {
  return source.kind === 'git_repo' && version !== 'latest' ? (ref ?? version) : version
}

/** Keeps the docs paths of a moved repository unless the request names new ones. */
function movedSource(before: Source, after: Source): Source {
  if (after.kind !== 'git_repo' || before.kind !== 'git_repo') return after
  const isSelecting = after.docsPaths.length > 0 || after.refPath !== undefined
  return isSelecting ? after : { ...before, ...after, docsPaths: before.docsPaths }
}

function asOgError(error: unknown): OgError {
  if (error instanceof OgError) return error
  return new OgError(`internal: ${fullMessageOf(error)}`, { cause: error })
}

export type WatchRequest = {
  /** Null selects every library that was indexed from a folder. */
  library: string | null
  version: string | null
  lockTimeoutMs: number
  signal: AbortSignal
  /** Changes within this time count as one; 300 ms by default. */
  quietMs?: number
  onStart?: (paths: string[]) => void
  /** Called after the first update and after each change. */
  onOutcome: (outcome: UpdateOutcome) => void
}

/**
 * Updates libraries in local folders now and after every change until the signal aborts. Removes
 * deleted files from the library, however many there are.
 * @throws OgError if none of the requested libraries was indexed from a folder
 */
export async function watchLibraries(
  context: LibraryContext,
  request: WatchRequest,
): Promise<void> {
  const watched = watchedEntries(await readEntries(context.folder), request)
  request.onStart?.(watched.map(({ path }) => path))
  await Promise.all(watched.map((one) => watchEntry(context, one, request)))
}

type Watched = { entry: Entry; path: string }

async function watchEntry(
  context: LibraryContext,
  { entry, path }: Watched,
  request: WatchRequest,
): Promise<void> {
  const { signal, lockTimeoutMs, quietMs } = request
  const { folder, isWanted } = placeToWatch(path)
  const options = { signal, isWanted, ...(quietMs === undefined ? {} : { quietMs }) }
  for await (const _ of folderChanges(folder, options)) {
    const outcome = await updateEntry(context, entry, { signal, lockTimeoutMs, force: true })
    if (signal.aborted) return
    request.onOutcome(outcome)
  }
}

function watchedEntries(entries: Entry[], { library, version }: WatchRequest): Watched[] {
  const key = library === null ? null : pickEntry(entries, { library, version }).key
  const mine =
    version === null
      ? entries.filter((entry) => key === null || entry.key === key)
      : pickEntries(entries, { library, version })
  const local = mine.flatMap((entry) => {
    const { source, ref } = entry.live
    // A tag's pages do not change, so it is not watched.
    return source.kind === 'local_path' && ref === null ? [{ entry, path: source.path }] : []
  })
  if (local.length > 0) return local
  throw new OgError(
    library === null
      ? 'Nothing to watch: no library was indexed from a folder'
      : `Cannot watch library "${library}": it was not indexed from a folder`,
    { hint: library === null ? 'og add LIBRARY --source FOLDER' : `og update ${library}` },
  )
}

/** Returns the folder to watch for a file, because editors replace files. */
function placeToWatch(path: string): { folder: string; isWanted: (path: string) => boolean } {
  if (statSync(path, { throwIfNoEntry: false })?.isFile()) {
    return { folder: dirname(path), isWanted: (changed) => changed === basename(path) }
  }
  const isWanted = (changed: string) =>
    checkedOut.test(changed) || !changed.split(/[/\\]/).some(isExcludedFolder)
  return { folder: path, isWanted }
}

const checkedOut = /^\.git[/\\](HEAD|logs[/\\]HEAD|packed-refs|refs[/\\]tags[/\\].*(?<!\.lock))$/
