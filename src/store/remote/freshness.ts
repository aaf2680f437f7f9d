import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { OgError } from '../../platform/error.ts'
import { registryKey, refreshRegistry, type BucketCopy } from './remote-registry.ts'

type FreshnessOptions = {
  ageMs: number
  patienceMs: number
  /** True if the copy must not be used, so that an unreachable bucket is an error. */
  needsBucket: boolean
  warn: (line: string) => void
}

export type Freshness = {
  refresh(when?: 'now'): Promise<void>
  /** True from a failed attempt to reach the bucket until the next successful one. */
  isDown(): boolean
  outlast(error: unknown): Promise<void>
}

/**
 * Concurrent readers share one request. If the bucket cannot be reached, readers use the copy, and
 * one warning covers the whole outage. During an outage the bucket is retried in the background, so
 * that no reader of a server waits for it twice.
 */
export function openFreshness(copy: BucketCopy, options: FreshnessOptions): Freshness {
  const { ageMs, needsBucket, warn } = options
  let checkedAt = -Infinity
  let running: Promise<void> | null = null
  let isDown = false

  const markReachable = () => {
    checkedAt = performance.now()
    if (isDown) warn(`Store ${copy.bucket.place} can be reached again`)
    isDown = false
  }

  async function outlast(error: unknown): Promise<void> {
    const isOutage = error instanceof OgError && error.code === 'unreachable'
    const copyStats =
      isOutage && !needsBucket ? await stat(join(copy.folder, registryKey)).catch(() => null) : null
    if (copyStats === null) {
      isDown = false
      throw error
    }
    checkedAt = performance.now()
    if (isDown) return
    isDown = true
    const when = copyStats.mtime.toISOString().slice(0, 16)
    warn(`${(error as OgError).message}; using the copy of ${when}Z`)
  }

  // A caller that cannot use the copy waits longer.
  const patienceMs = options.patienceMs * (needsBucket ? 3 : 1)
  const attempt = () =>
    refreshRegistry(copy, { patienceMs })
      .then(markReachable, outlast)
      .finally(() => (running = null))

  return {
    isDown: () => isDown,
    outlast,
    async refresh(when) {
      if (when === 'now') return refreshRegistry(copy).then(markReachable)
      if (performance.now() - checkedAt < ageMs) return
      running ??= attempt()
      if (!isDown) return running
      // If the background attempt fails for another reason, the next reader tries again and
      // receives the error.
      running.catch(() => {})
    },
  }
}
