import type { TeamKey } from './team-key.ts'

/** How long who comes with a key has to wait; 0: the requests are counted and may pass. */
export type KeyLimits = (key: Limited, requests?: number) => number

type Limited = Pick<TeamKey, 'name' | 'per_minute' | 'per_day'>

type Counted = { day: number; today: number; left: number; at: number }

const dayMs = 24 * 60 * 60 * 1000

/**
 * Counts the requests of each key in this process: so many a minute, evenly, of which a tenth may
 * come at once; and so many between two midnights UTC. What is refused does not count.
 */
export function openKeyLimits(now: () => number = Date.now): KeyLimits {
  const counted = new Map<string, Counted>()
  return (key, requests = 1) => {
    const at = now()
    const day = Math.floor(at / dayMs)
    const { per_minute: perMinute = Infinity, per_day: perDay = Infinity } = key
    const burst = Math.max(1, Math.ceil(perMinute / 10))
    const last = counted.get(key.name) ?? { day, today: 0, left: burst, at }
    const today = last.day === day ? last.today : 0
    const earned = (Math.max(0, at - last.at) / 60_000) * perMinute
    const left = Math.min(burst, last.left + (Number.isNaN(earned) ? 0 : earned))
    const isOver = left < Math.min(requests, burst)
    const isSpent = today + requests > perDay
    const next = { day, today, left, at }
    if (!isOver && !isSpent) {
      next.today += requests
      next.left -= requests
    }
    counted.set(key.name, next)
    if (isSpent) return ((day + 1) * dayMs - at) / 1000
    return isOver ? ((Math.min(requests, burst) - left) / perMinute) * 60 : 0
  }
}
