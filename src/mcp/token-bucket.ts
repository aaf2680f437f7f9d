/**
 * The fill rate of a bucket: `tokens` are added evenly in every `everyMs` milliseconds, up to
 * `burst`.
 */
export type TokenRate = { tokens: number; everyMs: number; burst: number }

/**
 * Tokens left at a time in milliseconds. Negative if a request took more than the bucket can hold;
 * the debt must refill before the next request.
 */
export type TokenBucket = { left: number; atMs: number }

export function fullBucket({ burst }: TokenRate, atMs: number): TokenBucket {
  return { left: burst, atMs }
}

/** The bucket at a later time. A clock that went backwards adds nothing. */
export function refill(
  bucket: TokenBucket,
  { tokens, everyMs, burst }: TokenRate,
  atMs: number,
): TokenBucket {
  const elapsedMs = Math.max(0, atMs - bucket.atMs)
  // Avoids 0 * Infinity, which is NaN, for an unlimited rate.
  const earned = elapsedMs === 0 ? 0 : (elapsedMs / everyMs) * tokens
  return { left: Math.min(burst, bucket.left + earned), atMs }
}

/**
 * Seconds until `n` tokens are available; 0 means now. A request for more than the bucket can hold
 * waits until it is full.
 */
export function secondsUntilTokens(
  n: number,
  { left }: TokenBucket,
  { tokens, everyMs, burst }: TokenRate,
): number {
  const missing = Math.min(n, burst) - left
  return missing <= 0 ? 0 : (missing / tokens) * (everyMs / 1000)
}
