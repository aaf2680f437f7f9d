import { publish } from '../store/publish.ts'
import { openWritten } from '../store/reading.ts'
import { readEntries, type Entry, type Generation } from '../store/registry.ts'
import { pickEntry } from '../version/pick.ts'
import { isLocalDate } from '../version/version.ts'
import type { AddProgress } from './library.ts'
import { lockVersion, type LockRequest } from './lock.ts'
import type { Opened } from './opened.ts'
import { refuseIllness } from './quality/health.ts'

/** The library version that a run writes; `library` as it was typed. */
export type Target = Pick<Entry, 'key' | 'library' | 'version'>

/** The lock of a library version, and its row as it is since the lock is held. */
export type LockedEntry = Disposable & { entry: Entry; report(step: Partial<AddProgress>): void }

type TurnRequest = Pick<LockRequest, 'lockTimeoutMs' | 'signal'> & {
  onProgress?: (progress: AddProgress, library: string) => void
}

/** `progress` is what `report` adds to. @throws OgError where it was removed meanwhile */
export async function takeTurn(
  folder: string,
  { library, version }: Entry,
  { progress, request }: { progress: AddProgress; request: TurnRequest },
): Promise<LockedEntry> {
  const report = (step: Partial<AddProgress>) =>
    request.onProgress?.(Object.assign(progress, step), library)
  const lock = await lockVersion(folder, {
    ...request, library, version, onWait: () => report({ phase: 'waiting' }),
  })
  try {
    // Asked again: who held the lock before us may have changed or removed it.
    const entry = pickEntry(await readEntries(folder), { library, version })
    return { entry, report, [Symbol.dispose]: () => lock[Symbol.dispose]() }
  } catch (error) {
    lock[Symbol.dispose]()
    throw error
  }
}

/** A folder has one dated version: on another day it is the same entry (W-13). */
export function isSameEntry(entry: Entry, { key, version }: Omit<Target, 'library'>): boolean {
  if (entry.key !== key) return false
  return entry.version === version || (isLocalDate(entry.version) && isLocalDate(version))
}

/** Where it was asked for. `live` stays where it is meanwhile: this run has the version's lock. */
export async function checkHealth(
  opened: Opened,
  target: Target,
  { live, minHealth, doing }: {
    live: Generation
    minHealth: number | null | undefined
    doing: 'publish' | 'accept'
  },
): Promise<void> {
  if (typeof minHealth !== 'number') return
  using open = openWritten(opened.folder, live, opened.kernels)
  const embedding = await opened.embedding()
  const entry = { ...target, live, previous: null }
  await refuseIllness({ entry, open }, { doing, minHealth, embedding, opened })
}

/** A library keeps the name that it was first given; a damaged state is not kept for a rollback. */
export async function publishLive(
  folder: string,
  { key, library, version }: Target,
  { live, isDamaged = false }: { live: Generation; isDamaged?: boolean },
): Promise<void> {
  await publish(folder, (entries) => ({
    before: entries.find((entry) => isSameEntry(entry, { key, version })) ?? null,
    key,
    library: entries.find((entry) => entry.key === key)?.library ?? library,
    version,
    live,
    isDamaged,
  }))
}
