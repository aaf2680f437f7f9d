import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { lockExclusive, type Lock } from '../platform/lock.ts'
import { publish } from '../store/publish.ts'
import { readEntries, type Entry, type Generation } from '../store/registry.ts'
import { remoteOf } from '../store/remote/attached.ts'
import { pickEntry } from '../version/pick.ts'
import { isLocalDate } from '../version/version.ts'
import type { AddProgress } from './library.ts'

export type LockRequest = {
  library: string
  version: string
  lockTimeoutMs: number
  onWait?: () => void
  signal?: AbortSignal | undefined
}

/**
 * The right to write one library version; the dated versions of a folder are one. Of a bucket,
 * among the processes of this machine first, then among all builders.
 */
export async function lockVersion(folder: string, request: LockRequest): Promise<Lock> {
  const { library, version, lockTimeoutMs: timeoutMs, onWait, signal } = request
  const what = `library "${library}" version "${version}"`
  const name = versionLockName(request)
  const options = { timeoutMs, what, onWait, signal }
  using taken = new DisposableStack()
  taken.use(await lockExclusive(join(folder, 'locks', name), options))
  const remote = remoteOf(folder)
  if (remote !== null) taken.use(await remote.lock(name, options))
  return taken.move()
}

/**
 * The name of a library version's lock. The dated versions of a folder have one together, so that
 * they are written in turn.
 */
export function versionLockName(request: { library: string; version: string }): string {
  const { library, version } = request
  const label = isLocalDate(version) ? 'local' : version
  const text = `${library.toLowerCase()}\n${label}`
  return createHash('sha256').update(text).digest('hex').slice(0, 32)
}

/** The lock of a library version, and its row as it is since the lock is held. */
export type LockedEntry = Disposable & { entry: Entry; report(step: Partial<AddProgress>): void }

type LockEntryRequest = Pick<LockRequest, 'lockTimeoutMs' | 'signal'> & {
  onProgress?: (progress: AddProgress, library: string) => void
}

/** `progress` is what `report` adds to. @throws OgError where it was removed meanwhile */
export async function lockEntry(
  folder: string,
  { library, version }: Entry,
  { progress, request }: { progress: AddProgress; request: LockEntryRequest },
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

/** The library version that a run writes; `library` as it was typed. */
export type Target = Pick<Entry, 'key' | 'library' | 'version'>

/**
 * Whether an entry is this library version. A folder has one dated version: on another day it is
 * the same entry (W-13).
 */
export function isSameEntry(entry: Entry, { key, version }: Omit<Target, 'library'>): boolean {
  if (entry.key !== key) return false
  return entry.version === version || (isLocalDate(entry.version) && isLocalDate(version))
}

/**
 * Makes a generation the live one of a library version. The library keeps the name that it was
 * first given; a damaged state is not kept for a rollback.
 */
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

/** The right to delete the whole store. Taken before the locks of versions, never after one. */
export function lockClearing(
  folder: string,
  { lockTimeoutMs, onWait, signal }: Omit<LockRequest, 'library' | 'version'>,
): Promise<Lock> {
  const what = `the store ${folder}`
  const options = { timeoutMs: lockTimeoutMs, what, onWait, signal }
  return lockExclusive(join(folder, 'locks', 'clear'), options)
}
