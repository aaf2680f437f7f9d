import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { lockExclusive, type Lock } from '../platform/lock.ts'
import { remoteOf } from '../store/remote/attached.ts'
import { isLocalDate } from '../version/version.ts'

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

/** Versions of one name are written in turn. */
export function versionLockName(request: { library: string; version: string }): string {
  const { library, version } = request
  const label = isLocalDate(version) ? 'local' : version
  const text = `${library.toLowerCase()}\n${label}`
  return createHash('sha256').update(text).digest('hex').slice(0, 32)
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
