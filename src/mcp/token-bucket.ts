/**
 * How fast a bucket fills: `tokens` come evenly in each `everyMs` milliseconds, until it holds
 * `burst`.
 */
export type TokenRate = { tokens: number; everyMs: number; burst: number }

/**
 * Tokens that were left at a time, in milliseconds. Less than 0: a request took more than the
 * bucket can hold, and the rest has to come before the next one.
 */
export type TokenBucket = { left: number; atMs: number }

export function fullBucket({ burst }: TokenRate, atMs: number): TokenBucket {
  return { left: burst, atMs }
}

/** The bucket at a later time. A clock that went back adds nothing. */
export function refilled(
  bucket: TokenBucket,
  { tokens, everyMs, burst }: TokenRate,
  atMs: number,
): TokenBucket {
  const elapsedMs = Math.max(0, atMs - bucket.atMs)
  // Of infinitely many tokens, none come in no time.
  const earned = elapsedMs === 0 ? 0 : (elapsedMs / everyMs) * tokens
  return { left: Math.min(burst, bucket.left + earned), atMs }
}

/**
 * Seconds until `n` tokens may be taken; 0: now. For more than the bucket can hold it has to
 * be full.
 */
export function secondsUntil(
  n: number,
  { left }: TokenBucket,
  { tokens, everyMs, burst }: TokenRate,
): number {
  const lack = Math.min(n, burst) - left
  return lack <= 0 ? 0 : (lack / tokens) * (everyMs / 1000)
}
