import { OgError } from '../../../platform/error.ts'

/** With what requests are signed. Never printed. */
export type Credentials = {
  accessKeyId: string
  secretAccessKey: string
  sessionToken: string | undefined
}

/** Keys that a service hands out, and how long they hold. */
export type IssuedKeys = { keys: Credentials; lifeMs: number }

/** Keys are renewed so long before they expire. */
const sparedMs = 300_000
/** After a renewal has failed, the keys that still hold serve so long before the next try. */
const pauseMs = 30_000

/**
 * The keys that `issue` gives, kept by this process until shortly before they expire. If they
 * cannot be renewed then because the service is down, they serve as long as they hold.
 */
export function renewedKeys(issue: () => Promise<IssuedKeys>): () => Promise<Credentials> {
  let kept: { keys: Credentials; renewAt: number; expiresAt: number } | null = null
  let running: Promise<Credentials> | null = null

  async function renew(): Promise<Credentials> {
    const startedAt = Date.now()
    try {
      const { keys, lifeMs } = await issue()
      const expiresAt = startedAt + lifeMs
      kept = { keys: checkedKeys(keys), renewAt: expiresAt - sparedMs, expiresAt }
      return kept.keys
    } catch (error) {
      const isOutage = error instanceof OgError && error.code === 'unreachable'
      if (!isOutage || kept === null || Date.now() >= kept.expiresAt) throw error
      kept.renewAt = Date.now() + pauseMs
      return kept.keys
    }
  }

  return async () => {
    if (kept !== null && Date.now() < Math.min(kept.renewAt, kept.expiresAt)) return kept.keys
    running ??= renew().finally(() => (running = null))
    return running
  }
}

/** A header that cannot be sent would be printed by the runtime's own complaint. */
export function checkedKeys(keys: Credentials): Credentials {
  const { accessKeyId, secretAccessKey, sessionToken = 'none' } = keys
  const isUsable = [accessKeyId, secretAccessKey, sessionToken].every((it) =>
    /^[\x21-\x7e]+$/.test(it),
  )
  if (isUsable) return keys
  throw new OgError('Cannot use the keys of the store: they hold odd characters')
}
