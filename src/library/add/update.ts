import { messageOf, OgError } from '../../platform/error.ts'
import type { Reach } from '../../platform/reach.ts'
import type { Choice } from '../../source/choice/choice.ts'
import { sourcePlace, type Source } from '../../store/source.ts'
import { readEntries, type Entry } from '../../store/registry.ts'
import type { ListedSource } from '../sources/source-entry.ts'
import { reasonToAsk } from '../sources/source-trust.ts'
import { isFollowing } from '../../version/following.ts'
import { addLibrary } from './add.ts'
import type { AddRequest, AddResult, RunRequest } from '../library.ts'
import type { Opened } from '../opened.ts'
import { pickEntry } from '../../version/pick.ts'
import { isLocalDate } from '../../version/version.ts'

export type UpdateRequest = RunRequest &
  Pick<AddRequest, 'force'> & {
    /** null: every library. */
    library: string | null
    /** null: every version of the library. */
    version: string | null
    /** Read from here from now on; needs a library with one version, or a version. */
    source?: Source | null
    /** From where a library comes that was imported as raw pages; null: nobody knows. */
    listed?: (library: string) => Promise<Source | null>
    /** Called for an incomplete version, unless another source is named. */
    chooseAgain?: ChooseAgain
    /** Asked first for what came out of a pack, unless another source is named. */
    newerPack?: NewerPack
  }

/**
 * Brings what came out of the pack at a place to the newest pack of its version; null: that place
 * is none of a registry that is known.
 */
export type NewerPack = (packed: {
  library: string
  version: string
  place: string
}) => Promise<AddResult | null>

/** Chooses again which part of a named source to read; `version` is the version of a package. */
export type ChooseAgain = (intended: Source, version: string | null) => Promise<Choice>

type Wish = Omit<UpdateRequest, 'library' | 'version'>

/** The result of a run for one library version, or the error that left the version as it was. */
export type VersionOutcome<Result> = { library: string; version: string } & (
  | { result: Result; error: null }
  | { result: null; error: OgError }
)
export type UpdateOutcome = VersionOutcome<AddResult>

/**
 * Brings indexed library versions up to date, each from the source that it was read from, one after
 * the other. One that fails does not keep the next from its turn.
 * @throws OgError where the library or version is not indexed, and when interrupted
 */
export async function* updateLibraries(
  opened: Opened,
  request: UpdateRequest,
): AsyncGenerator<UpdateOutcome> {
  for (const entry of entriesToUpdate(await readEntries(opened.folder), request)) {
    const outcome = await updateEntry(opened, entry, request)
    request.signal?.throwIfAborted()
    yield outcome
  }
}

/** Updates one library version; an error becomes its outcome. */
export async function updateEntry(
  opened: Opened,
  entry: Entry,
  request: Wish,
): Promise<UpdateOutcome> {
  return await outcomeOf(entry, async () => {
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
    const reach = isPacked ? (opened.reach ?? strangersReach) : opened.reach
    const intended = source === entry.live.source ? entry.live.incomplete?.intended : undefined
    const again = intended && (await request.chooseAgain?.(intended, packageVersion(intended)))
    const reading = { ...opened, reach: again?.reach ?? reach }
    if (again) return addChosen(reading, entry, { again, request })
    return addLibrary(reading, addRequest(entry, source, request))
  })
}

/** The outcome of a run; an error that it throws is one too. */
export async function outcomeOf<Result extends { version: string }>(
  { library, version }: Entry,
  run: () => Promise<Result>,
): Promise<VersionOutcome<Result>> {
  return await run().then(
    (result) => ({ library, version: result.version, result, error: null }),
    (error) => ({ library, version, result: null, error: asOgError(error) }),
  )
}

/** What a pack names is named by its maker: it leads to public hosts and nowhere else. */
const strangersReach: Reach = { hosts: [], folder: null }

/** @throws OgError for a source on a disk or in a private network */
async function checkForeignSource({ library, version }: Entry, source: Source): Promise<void> {
  const isHere = 'path' in source || !/^[a-z][a-z0-9+.-]*:|@/i.test(source.url)
  const place = sourcePlace(source)
  const why = isHere
    ? `of another machine: "${place}"`
    : await reasonToAsk(source as ListedSource, '/').then(
        (reason) => reason && `elsewhere: ${reason}`,
      )
  if (why === null) return
  throw new OgError(
    `Cannot update library "${library}" version "${version}": its pack names a source ${why}`,
    { hint: `add a newer pack, or name a source: og update ${library} --source SOURCE` },
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
      hint: `name one by --version: ${versions}`,
    })
  }
  return mine
}

/**
 * The source that it was read from. Of raw pages that is the folder to which another program once
 * wrote them: where a list says from where, that is asked, unless it cannot tell versions apart.
 */
async function sourceOf(entry: Entry, { source: named, listed }: Wish): Promise<Source> {
  const before = entry.live.source
  if (named) return movedSource(before, named)
  if (before.kind !== 'raw_pages' || !listed) return before
  const source = await listed(entry.library)
  const { version } = entry
  const isOfVersion = source?.kind === 'git_repo' || version === 'latest' || isLocalDate(version)
  return source !== null && isOfVersion ? source : before
}

/** Reads the source that was chosen now; the version keeps its label. */
function addChosen(
  opened: Opened,
  entry: Entry,
  { again, request }: { again: Choice; request: Wish },
): Promise<AddResult> {
  const { source, version, incomplete } = again
  const plain = addRequest(entry, source, request)
  const label = entry.version
  return addLibrary(opened, { ...plain, version: version ?? plain.version, label, incomplete })
}

function packageVersion(source: Source): string | null {
  return source.kind === 'package' ? (source.version ?? null) : null
}

function addRequest(entry: Entry, source: Source, request: Wish): AddRequest {
  const { lockTimeoutMs, minHealth, onProgress, signal, force } = request
  const { library, version, live } = entry
  const isSame = source === live.source
  const atSource = isSame ? versionAtSource(entry) : version
  return {
    library,
    // A label that was made from a folder is made anew.
    version: isFollowing({ ...live, version }) ? null : atSource,
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

/** The version as its source spells it: `v1.2.0` for the label `1.2.0`. */
function versionAtSource({ version, live: { source, ref } }: Entry): string {
  return source.kind === 'git_repo' && version !== 'latest' ? (ref ?? version) : version
}

/** A repository that moved keeps its docs paths, unless others are named. */
function movedSource(before: Source, named: Source): Source {
  if (named.kind !== 'git_repo' || before.kind !== 'git_repo') return named
  const isSelecting = named.docsPaths.length > 0 || named.refPath !== undefined
  return isSelecting ? named : { ...before, ...named, docsPaths: before.docsPaths }
}

function asOgError(error: unknown): OgError {
  if (error instanceof OgError) return error
  return new OgError(`internal: ${messageOf(error)}`, { cause: error })
}
