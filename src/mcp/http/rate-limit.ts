import {
  fullBucket,
  refill,
  secondsUntilTokens,
  type TokenBucket,
  type TokenRate,
} from '../token-bucket.ts'

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
