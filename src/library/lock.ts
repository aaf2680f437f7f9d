import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { lockExclusive, type Lock } from '../platform/lock.ts'
import { isLocalDate } from './version.ts'

export type LockRequest = {
  library: string
  version: string
  lockTimeoutMs: number
  onWait?: () => void
  signal?: AbortSignal | undefined
}

/** The right to write one library version; the dated versions of a folder are one. */
export async function lockVersion(folder: string, request: LockRequest): Promise<Lock> {
  const { library, version, lockTimeoutMs } = request
  const label = isLocalDate(version) ? 'local' : version
  const text = `${library.toLowerCase()}\n${label}`
  const name = createHash('sha256').update(text).digest('hex').slice(0, 32)
  return lockExclusive(join(folder, 'locks', name), {
    timeoutMs: lockTimeoutMs,
    what: `library "${library}" version "${version}"`,
    onWait: request.onWait,
    signal: request.signal,
  })
}
