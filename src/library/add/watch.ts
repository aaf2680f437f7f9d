import { basename, dirname } from 'node:path'
import { statSync } from 'node:fs'
import { OgError } from '../../platform/error.ts'
import { folderChanges } from '../../platform/file/folder-changes.ts'
import { isExcludedFolder } from '../../source/select/select.ts'
import { readEntries, type Entry } from '../../store/registry.ts'
import type { LibraryContext } from '../library-context.ts'
import { pickEntries, pickEntry } from '../../version/pick.ts'
import { updateEntry, type UpdateOutcome } from './update.ts'

export type WatchRequest = {
  /** Null for every library that was indexed from a folder. */
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
 * Updates libraries in local folders now and after every change, until the signal aborts. Removes
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
    // A tag is not watched, because its pages do not change.
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

/** If the source is a single file, its folder is watched, because editors replace files. */
function placeToWatch(path: string): { folder: string; isWanted: (path: string) => boolean } {
  if (statSync(path, { throwIfNoEntry: false })?.isFile()) {
    return { folder: dirname(path), isWanted: (changed) => changed === basename(path) }
  }
  const isWanted = (changed: string) =>
    checkedOut.test(changed) || !changed.split(/[/\\]/).some(isExcludedFolder)
  return { folder: path, isWanted }
}

const checkedOut = /^\.git[/\\](HEAD|logs[/\\]HEAD|packed-refs|refs[/\\]tags[/\\].*(?<!\.lock))$/
