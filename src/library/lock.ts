import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { lockExclusive, type Lock } from '../platform/lock.ts'
import { publish } from '../store/publish.ts'
import { readEntries, type Entry, type Generation } from '../store/registry.ts'
import type { ResolvedSource } from '../source/source.ts'
import { remoteOf } from '../store/remote/attached.ts'
import { pickEntry } from '../version/pick.ts'
import { isLocalDate } from '../version/version.ts'
import { isFollowing } from '../version/following.ts'
import type { AddProgress } from './library.ts'

export type LockRequest = VersionName & {
  lockTimeoutMs: number
  onWait?: () => void
  signal?: AbortSignal | undefined
}

/** A library version: its row, or if it is not indexed yet, whether it follows a folder. */
type VersionName = { library: string; version: string; live?: Generation; follows?: boolean }

/**
 * The right to write one library version; a version that follows a folder is one under all its
 * labels. If the store is in a bucket, the lock of this machine is taken first, then the one of all
 * builders.
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
 * The name of a library version's lock. A version that follows a folder has the same one under all
 * its labels, so that it is written in turn.
 */
export function versionLockName({ library, version, live, follows }: VersionName): string {
  const isUnnamed = follows ?? (live ? isFollowing({ ...live, version }) : isLocalDate(version))
  const label = isUnnamed ? 'local' : version
  const text = `${library.toLowerCase()}\n${label}`
  return createHash('sha256').update(text).digest('hex').slice(0, 32)
}

/** The lock of a library version, and its row as it is since the lock is held. */
type LockedEntry = Disposable & { entry: Entry; report(step: Partial<AddProgress>): void }

type LockEntryRequest = Pick<LockRequest, 'lockTimeoutMs' | 'signal'> & {
  onProgress?: (progress: AddProgress, library: string) => void
}

/** `progress` is what `report` adds to. @throws OgError where it was removed meanwhile */
export async function lockEntry(
  folder: string,
  { library, version, live }: Entry,
  { progress, request }: { progress: AddProgress; request: LockEntryRequest },
): Promise<LockedEntry> {
  const report = (step: Partial<AddProgress>) =>
    request.onProgress?.(Object.assign(progress, step), library)
  const lock = await lockVersion(folder, {
    ...request, library, version, live, onWait: () => report({ phase: 'waiting' }),
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

/**
 * The library version that a run writes; `library` as it was typed. `follows`: its label was made
 * from the state of files on this disk.
 */
export type Target = Pick<Entry, 'key' | 'library' | 'version'> & { follows?: boolean }

/** Whether an entry is this library version, under the same label. */
export function isSameEntry(entry: Entry, { key, version }: Omit<Target, 'library'>): boolean {
  if (entry.key !== key) return false
  return entry.version === version || (isLocalDate(entry.version) && isLocalDate(version))
}

/**
 * The row that a library version takes the place of: that of its label; for one that follows a
 * folder, the one that followed it on another day or at another commit (W-13).
 */
export function rowOf(
  entries: readonly Entry[], target: Omit<Target, 'library'>,
): Entry | null {
  const isMeant = (entry: Entry) => target.follows
    ? entry.key === target.key && isFollowing({ ...entry.live, version: entry.version })
    : isSameEntry(entry, target)
  return entries.find(isMeant) ?? null
}

/**
 * Makes a generation the live one of a library version. The library keeps the name that it was
 * first given; a damaged state is not kept for a rollback.
 */
export async function publishLive(
  folder: string,
  { library, ...target }: Target,
  { live, isDamaged = false }: { live: Generation; isDamaged?: boolean },
): Promise<void> {
  const { key, version } = target
  await publish(folder, (entries) => ({
    before: rowOf(entries, target),
    key,
    library: entries.find((entry) => entry.key === key)?.library ?? library,
    version,
    live,
    isDamaged,
  }))
}

/** The right to write a version, as it was resolved when the right was given. */
type WriteTurn = Disposable & { resolved: ResolvedSource }

type TurnRequest = Omit<LockRequest, 'version'> & { resolve(): Promise<ResolvedSource> }

/**
 * Takes the locks of a version. If it had to wait for another run, it resolves the version again:
 * the branch may have moved, and an older commit must not replace a newer one. The lock of a
 * version that follows a folder comes first, because its label is known only under that.
 */
export async function takeTurn(
  folder: string, first: ResolvedSource, { resolve, ...request }: TurnRequest,
): Promise<WriteTurn> {
  using locks = new DisposableStack()
  let hasWaited = false
  const lock = async (named: { version: string; follows: boolean }) => {
    const onWait = () => {
      hasWaited = true
      request.onWait?.()
    }
    locks.use(await lockVersion(folder, { ...request, onWait, ...named }))
  }
  const { version, follows = false } = first
  await lock({ version, follows })
  const second = hasWaited ? await resolve() : first
  const isKept = !follows && second.version !== version
  const resolved = isKept ? first : second
  if (follows) await lock({ version: resolved.version, follows: false })
  const held = locks.move()
  return { resolved, [Symbol.dispose]: () => held.dispose() }
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
