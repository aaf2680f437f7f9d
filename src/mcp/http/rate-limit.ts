/** Counts a request from an address. @returns 0 if it may pass, otherwise the seconds to wait */
export type RateLimit = (address: string) => number

export function openRateLimit(
  { perSecond, burst }: { perSecond: number; burst: number },
  now: () => number = performance.now.bind(performance),
): RateLimit {
  const rate: TokenRate = { tokens: perSecond, everyMs: 1_000, burst }
  const buckets = new Map<string, TokenBucket>()
  return (address) => {
    if (buckets.size > maxBuckets) {
      for (const [key, bucket] of buckets) {
        if (refill(bucket, rate, now()).left >= burst) buckets.delete(key)
      }
    }
    const bucket = refill(buckets.get(address) ?? fullBucket(rate, now()), rate, now())
    const wait = secondsUntilTokens(1, bucket, rate)
    if (wait === 0) bucket.left -= 1
    buckets.set(address, bucket)
    return wait
  }
}

const maxBuckets = 1_000

/** The rate of a bucket: `tokens` are added evenly in `everyMs` milliseconds, up to `burst`. */
export type TokenRate = { tokens: number; everyMs: number; burst: number }

/**
 * The number of tokens at the time `atMs`. It is negative after a request for more tokens than the
 * bucket holds, and must become positive before the next request.
 */
export type TokenBucket = { left: number; atMs: number }

export function fullBucket({ burst }: TokenRate, atMs: number): TokenBucket {
  return { left: burst, atMs }
}

/** Returns the bucket at a later time. If the clock was set back, adds no tokens. */
export function refill(
  bucket: TokenBucket,
  { tokens, everyMs, burst }: TokenRate,
  atMs: number,
): TokenBucket {
  const elapsedMs = Math.max(0, atMs - bucket.atMs)
  // For an unlimited rate, 0 * Infinity would be NaN.
  const earned = elapsedMs === 0 ? 0 : (elapsedMs / everyMs) * tokens
  return { left: Math.min(burst, bucket.left + earned), atMs }
}

/**
 * Returns the seconds until `n` tokens are available. If the bucket cannot hold `n` tokens, returns
 * the seconds until it is full.
 */
export function secondsUntilTokens(
  n: number,
  { left }: TokenBucket,
  { tokens, everyMs, burst }: TokenRate,
): number {
  const missing = Math.min(n, burst) - left
  return missing <= 0 ? 0 : (missing / tokens) * (everyMs / 1000)
}
