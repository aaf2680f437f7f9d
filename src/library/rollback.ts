import { OgError } from '../platform/error.ts'
import { hasGeneration, sweepGenerations } from '../store/generation.ts'
import { publish } from '../store/publish.ts'
import { readEntries, type Entry, type Generation, changeEntries } from '../store/registry.ts'
import { findGenerationFault } from '../store/file-checks.ts'
import type { LibraryVersion } from './library.ts'
import { libraryVersion } from './list.ts'
import { lockVersion, type LockRequest } from './lock.ts'
import { pickEntry } from '../version/pick.ts'
import { forgetEntryFiles } from '../store/entry-file.ts'

/**
 * Makes the previous state of a library version live again. A second call undoes that. Without a
 * version, uses the only version that has a previous state.
 * @throws OgError if no version, or more than one, has a previous state
 */
export async function rollbackVersion(
  folder: string,
  request: Omit<LockRequest, 'version'> & { version: string | null },
): Promise<LibraryVersion> {
  const { library } = request
  const { version, live } = changedEntry(await readEntries(folder), request)
  using _lock = await lockVersion(folder, { ...request, version, live })
  const before = changedEntry(await readEntries(folder), { library, version })
  const fault = await findGenerationFault(folder, before.previous.id)
  if (fault !== null && hasGeneration(folder, before.previous.id)) throw damaged(before, fault)
  const flipped = await publish(folder, (entries) => {
    // Look it up again, because the lock's previous holder may have changed or removed the version.
    const before = changedEntry(entries, { library, version })
    if (!hasGeneration(folder, before.previous.id)) throw noPreviousState(before)
    return { ...before, before, live: before.previous }
  })
  return libraryVersion(flipped)
}

type ChangedEntry = Entry & { previous: Generation }

const isChanged = (entry: Entry): entry is ChangedEntry => entry.previous !== null

function changedEntry(
  entries: Entry[],
  { library, version }: { library: string; version: string | null },
): ChangedEntry {
  const picked = pickEntry(entries, { library, version })
  if (version !== null) {
    if (!isChanged(picked)) throw noPreviousState(picked)
    return picked
  }
  const changed = entries.filter((it) => it.key === picked.key).filter(isChanged)
  const [only, ...others] = changed
  if (only === undefined) throw noPreviousState(picked)
  if (others.length === 0) return only
  throw new OgError(`Cannot tell which version of "${library}" to roll back`, {
    hint: `choose one with --version: ${changed.map((entry) => entry.version).join(', ')}`,
  })
}

function damaged({ library, version }: Entry, fault: string): OgError {
  return new OgError(
    `Cannot roll back library "${library}" version "${version}": the previous state is ` +
      `damaged: ${fault}; nothing was changed`,
    { hint: 'og doctor --repair deletes it' },
  )
}

function noPreviousState({ library, version }: Entry): OgError {
  return new OgError(
    `Cannot roll back library "${library}" version "${version}": it has no previous state`,
    { hint: 'og keeps only the state before the last change' },
  )
}

export async function removeVersion(folder: string, request: LockRequest): Promise<LibraryVersion> {
  const { version, live } = pickEntry(await readEntries(folder), request)
  using _lock = await lockVersion(folder, { ...request, version, live })
  let removed = pickEntry(await readEntries(folder), { ...request, version })
  await changeEntries(folder, (entries) => {
    // Look it up again, because the lock's previous holder may have removed the version or changed
    // its date.
    removed = pickEntry(entries, { ...request, version })
    return entries.filter((entry) => entry !== removed)
  })
  const ids = [removed.live.id, removed.previous?.id].filter((id) => id !== undefined)
  await forgetEntryFiles(folder, ids)
  await sweepGenerations(folder)
  return libraryVersion(removed)
}
