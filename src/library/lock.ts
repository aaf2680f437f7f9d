import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { OgError } from '../platform/error.ts'
import { lockExclusive, type Lock } from '../platform/lock.ts'
import { publish } from '../store/publish.ts'
import type { Entry, Generation } from '../store/registry.ts'
import { remoteBucketOf } from '../store/remote-bucket.ts'
import { isLocalDate, isAutomaticLabel } from '../version/version.ts'

export type LockRequest = VersionName & {
  lockTimeoutMs: number
  onWait?: () => void
  signal?: AbortSignal | undefined
}

const longerTimeout = 'wait for it to end, or give a longer --lock-timeout'

/**
 * Identifies a library version. `live` is its generation, if it is indexed. `follows` is true if a
 * new version is read from a folder on this disk.
 */
export type VersionName = { library: string; version: string; live?: Generation; follows?: boolean }

/**
 * Waits for the exclusive lock to write one library version. All labels of a version that is read
 * from a folder on this disk share one lock. For a store in a bucket, first takes this machine's
 * lock, and then the lock that all builders share.
 */
export async function lockVersion(folder: string, request: LockRequest): Promise<Lock> {
  const { library, version, lockTimeoutMs: timeoutMs, onWait, signal } = request
  const what = `library "${library}" version "${version}"`
  const name = versionLockName(request)
  const options = { timeoutMs, what, onWait, signal, hint: longerTimeout }
  using taken = new DisposableStack()
  taken.use(await lockExclusive(join(folder, 'locks', name), options))
  const remote = remoteBucketOf(folder)
  if (remote !== null) taken.use(await remote.lock(name, options))
  return taken.move()
}

/**
 * Returns the name of a library version's lock. All labels of a version that is read from a folder
 * on this disk share one lock, so two runs never write it at once.
 */
export function versionLockName({ library, version, live, follows }: VersionName): string {
  const isUnnamed =
    follows ?? (live ? isAutomaticLabel({ ...live, version }) : isLocalDate(version))
  const label = isUnnamed ? 'local' : version
  const text = `${library.toLowerCase()}\n${label}`
  return createHash('sha256').update(text).digest('hex').slice(0, 32)
}

/**
 * The library version that a run writes. `library` is spelled as the user typed it. `follows` is
 * true if the label was derived from the state of files on this disk.
 */
export type WriteTarget = Pick<Entry, 'key' | 'library' | 'version'> & { follows?: boolean }

export function isSameEntry(entry: Entry, { key, version }: Omit<WriteTarget, 'library'>): boolean {
  if (entry.key !== key) return false
  return entry.version === version || (isLocalDate(entry.version) && isLocalDate(version))
}

/**
 * Returns the registry entry that a library version replaces. This is the entry with the same label
 * or, for a folder on this disk, the entry that was read from it on a different day or at a
 * different commit.
 */
export function entryToReplace(
  entries: readonly Entry[],
  target: Omit<WriteTarget, 'library'>,
): Entry | null {
  const isMeant = (entry: Entry) =>
    target.follows
      ? entry.key === target.key && isAutomaticLabel({ ...entry.live, version: entry.version })
      : isSameEntry(entry, target)
  return entries.find(isMeant) ?? null
}

/**
 * Makes a generation the live one of its library version. The library keeps its first spelling. A
 * damaged generation is not kept for a rollback.
 */
export async function publishLive(
  folder: string,
  target: WriteTarget,
  { live, isDamaged = false, replaces }: Publication,
): Promise<void> {
  await publish(folder, (entries) => {
    const { key, library, version } = withStoredSpelling(entries, target)
    const before = entryToReplace(entries, target)
    const isChanged = replaces !== undefined && before?.live.id !== replaces
    if (isChanged) throw changedMeanwhile(target)
    return { before, key, library, version, live, isDamaged }
  })
}

/** With `replaces`, publishing fails unless the generation with this id is live. */
type Publication = { live: Generation; isDamaged?: boolean; replaces?: string }

/** Happens only if a person edits the registry, because a run holds its version's lock. */
function changedMeanwhile({ library, version }: WriteTarget): OgError {
  return new OgError(
    `Cannot replace library "${library}" version "${version}": it was changed in the meantime`,
    { hint: 'run the command again' },
  )
}

/** Returns the target with the library name as it was first spelled. */
export function withStoredSpelling(entries: readonly Entry[], target: WriteTarget): WriteTarget {
  const entry = entries.find(({ key }) => key === target.key)
  return { ...target, library: entry?.library ?? target.library }
}

/**
 * Waits for the exclusive lock to delete the whole store. Take this lock before the locks of
 * versions, never after one, to prevent deadlocks.
 */
export function lockStoreForClearing(
  folder: string,
  { lockTimeoutMs, onWait, signal }: Omit<LockRequest, 'library' | 'version'>,
): Promise<Lock> {
  const what = `the store ${folder}`
  const options = { timeoutMs: lockTimeoutMs, what, onWait, signal, hint: longerTimeout }
  return lockExclusive(join(folder, 'locks', 'clear'), options)
}
