/** Counts a request from an address. @returns 0 where it may pass, else the seconds to wait. */
export type RateLimit = (address: string) => number

type Bucket = { left: number; at: number }

/** A token bucket for each address; forgotten once it is full again. */
export function openRateLimit(
  { perSecond, burst }: { perSecond: number; burst: number },
  now: () => number = performance.now.bind(performance),
): RateLimit {
  const buckets = new Map<string, Bucket>()
  const filled = ({ left, at }: Bucket) =>
    Math.min(burst, left + ((now() - at) / 1000) * perSecond)
  return (address) => {
    if (buckets.size > maxBuckets) {
      for (const [key, bucket] of buckets) if (filled(bucket) >= burst) buckets.delete(key)
    }
    const own = buckets.get(address)
    const left = own === undefined ? burst : filled(own)
    const isAllowed = left >= 1
    buckets.set(address, { left: isAllowed ? left - 1 : left, at: now() })
    return isAllowed ? 0 : (1 - left) / perSecond
  }
}

const maxBuckets = 1_000
