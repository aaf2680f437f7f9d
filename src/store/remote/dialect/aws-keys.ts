import { OgError } from '../../../platform/error.ts'

/** The keys that sign requests. Keys must never be printed. */
export type Credentials = {
  accessKeyId: string
  secretAccessKey: string
  sessionToken: string | undefined
}

/** Keys issued by a service, and how long they are valid. */
export type IssuedKeys = { keys: Credentials; lifeMs: number }

/** Keys are renewed this long before they expire. */
const renewAheadMs = 300_000
/**
 * After a failed renewal, the keys are used for this long before the next attempt, if they are
 * still valid.
 */
const pauseMs = 30_000

/**
 * Returns a function that calls `issue` and caches its keys in this process until shortly before
 * they expire. If the service is down at renewal, the old keys are used until they expire.
 */
export function renewingKeys(issue: () => Promise<IssuedKeys>): () => Promise<Credentials> {
  let cached: { keys: Credentials; renewAt: number; expiresAt: number } | null = null
  let running: Promise<Credentials> | null = null

  async function renew(): Promise<Credentials> {
    const startedAt = Date.now()
    try {
      const { keys, lifeMs } = await issue()
      const expiresAt = startedAt + lifeMs
      cached = { keys: validateKeys(keys), renewAt: expiresAt - renewAheadMs, expiresAt }
      return cached.keys
    } catch (error) {
      const isOutage = error instanceof OgError && error.code === 'unreachable'
      if (!isOutage || cached === null || Date.now() >= cached.expiresAt) throw error
      cached.renewAt = Date.now() + pauseMs
      return cached.keys
    }
  }

  return async () => {
    if (cached !== null && Date.now() < Math.min(cached.renewAt, cached.expiresAt))
      return cached.keys
    running ??= renew().finally(() => (running = null))
    return running
  }
}

/** Checked here, because the runtime's own error for an invalid header would print the key. */
export function validateKeys(keys: Credentials): Credentials {
  const { accessKeyId, secretAccessKey, sessionToken = 'none' } = keys
  const isUsable = [accessKeyId, secretAccessKey, sessionToken].every((it) =>
    /^[\x21-\x7e]+$/.test(it),
  )
  if (isUsable) return keys
  throw new OgError('Cannot use the keys of the store: they contain invalid characters')
}
