import {
  fullBucket,
  refill,
  secondsUntilTokens,
  type TokenBucket,
  type TokenRate,
} from '../token-bucket.ts'
import type { TeamKey } from './team-key.ts'

/**
 * Counts requests of a key.
 * @returns 0 if they may pass, otherwise the seconds to wait
 */
export type KeyLimits = (key: Limited, requests?: number) => number

type Limited = Pick<TeamKey, 'name' | 'per_minute' | 'per_day'>

/**
 * `day` is the number of days since 1970 in UTC; `today` is the number of requests accepted on that
 * day.
 */
type KeyCount = { day: number; today: number; bucket: TokenBucket }

const dayMs = 24 * 60 * 60 * 1000

/**
 * Counts the requests of each key in this process. The limit per minute refills evenly and allows a
 * burst of a tenth of it; the limit per day resets at midnight UTC. Rejected requests do not count.
 */
export function openKeyLimits(now: () => number = Date.now): KeyLimits {
  const counts = new Map<string, KeyCount>()
  return (key, requests = 1) => {
    const at = now()
    const day = Math.floor(at / dayMs)
    const { per_day: perDay = Infinity } = key
    const rate = rateOf(key)
    const last = counts.get(key.name)
    const today = last?.day === day ? last.today : 0
    const bucket = refill(last?.bucket ?? fullBucket(rate, at), rate, at)
    const wait = secondsUntilTokens(requests, bucket, rate)
    const isSpent = today + requests > perDay
    const passed = wait === 0 && !isSpent ? requests : 0
    const left = bucket.left - passed
    counts.set(key.name, { day, today: today + passed, bucket: { ...bucket, left } })
    return isSpent ? ((day + 1) * dayMs - at) / 1000 : wait
  }
}

function rateOf({ per_minute: perMinute = Infinity }: Limited): TokenRate {
  return { tokens: perMinute, everyMs: 60_000, burst: Math.max(1, Math.ceil(perMinute / 10)) }
}
