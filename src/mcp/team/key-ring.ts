import { stat } from 'node:fs/promises'
import { messageOf, OgError } from '../../platform/error.ts'
import { sha256 } from '../../platform/hash.ts'
import { parseExpiry, type TeamKey, parseTeamKeys, teamKeysText } from './team-key.ts'
import {
  fullBucket,
  refill,
  secondsUntilTokens,
  type TokenBucket,
  type TokenRate,
} from '../http/rate-limit.ts'
import { existsSync } from 'node:fs'
import { editTextFile } from '../../platform/file/edit-file.ts'
import { readTextFile } from '../../platform/file/read-file.ts'
import { whyUnsafe } from '../../platform/file/safe-folder.ts'
import { lockExclusive } from '../../platform/lock.ts'

export type LiveKey = TeamKey & { revoked: AbortSignal }

export type KeyRing = Disposable & {
  /**
   * Returns the key with this secret, or null if it is unknown or expired. Uses a hash table, so
   * that many keys are as fast as one.
   */
  find(secret: string): LiveKey | null
  /** Returns a hash of the key file, which is equal on all servers with the same file. */
  stamp(): string
}

type KeyRingOptions = {
  /** Interval between checks of the file. */
  everyMs?: number
  warn(line: string): void
  now?: () => number
}

type KeyEntry = { live: LiveKey; text: string; end: AbortController }

/**
 * Polls the file's stat for changes, because some file systems do not report changes. If the file
 * becomes invalid, warns once and keeps the previous keys, so that a typo locks nobody out.
 * @throws OgError if the file is unreadable, invalid or writable by others at the start
 */
export async function openKeyRing(path: string, options: KeyRingOptions): Promise<KeyRing> {
  const { everyMs = 1_000, warn, now = Date.now } = options
  let lastState = await stateOf(path)
  /** The state of the file at the last warning. */
  let warnedState: string | null = null
  let file = await readKeys(path)
  let entries = new Map<string, KeyEntry>()
  const applyKeys = () => (entries = updateEntries(file.keys, entries))
  applyKeys()
  const isExpired = ({ expires }: TeamKey) => expires !== undefined && parseExpiry(expires) <= now()
  const endExpired = () => {
    for (const { live, end } of entries.values()) if (isExpired(live)) end.abort()
  }
  let isLooking = false
  async function poll(): Promise<void> {
    endExpired()
    const state = await stateOf(path)
    if (state === lastState) return
    const read = await readKeys(path).catch((error) => {
      // The error may be temporary, so the next check reads the file again without a second
      // warning.
      if (state !== warnedState) warn(`${messageOf(error)}; the previous keys stay valid`)
      warnedState = state
      return null
    })
    if (read === null) return
    lastState = state
    warnedState = null
    if (read.stamp === file.stamp) return
    file = read
    applyKeys()
  }
  const timer = setInterval(() => {
    if (isLooking) return
    isLooking = true
    void poll().finally(() => (isLooking = false))
  }, everyMs)
  timer.unref()
  return {
    find(secret) {
      const key = entries.get(sha256(secret))
      return key === undefined || isExpired(key.live) ? null : key.live
    },
    stamp: () => file.stamp,
    [Symbol.dispose]: () => clearInterval(timer),
  }
}

async function readKeys(path: string): Promise<{ keys: TeamKey[]; stamp: string }> {
  const { keys, text } = await readKeyText(path)
  return { keys, stamp: sha256(text) }
}

/** Keeps unchanged keys, adds new keys and revokes the others. */
function updateEntries(
  keys: readonly TeamKey[],
  before: ReadonlyMap<string, KeyEntry>,
): Map<string, KeyEntry> {
  const entries = new Map(
    keys.map((key) => {
      const text = JSON.stringify(key)
      const last = before.get(key.sha256)
      if (last?.text === text) return [key.sha256, last]
      const end = new AbortController()
      return [key.sha256, { live: { ...key, revoked: end.signal }, text, end }]
    }),
  )
  for (const [hash, one] of before) if (entries.get(hash) !== one) one.end.abort()
  return entries
}

/** Identifies the state of the file; '' if it is missing. */
async function stateOf(path: string): Promise<string> {
  const stats = await stat(path, { bigint: true }).catch(() => null)
  if (stats === null) return ''
  const { dev, ino, size, mtimeNs, ctimeNs } = stats
  return [dev, ino, size, mtimeNs, ctimeNs].join(' ')
}

/** Counts requests with a key. @returns 0 if they may pass, otherwise the seconds to wait */
export type KeyLimits = (key: Limited, requests?: number) => number

type Limited = Pick<TeamKey, 'name' | 'per_minute' | 'per_day'>

/**
 * `day` is the number of days since 1970 in UTC. `today` is the number of requests accepted on that
 * day.
 */
type KeyCount = { day: number; today: number; bucket: TokenBucket }

const dayMs = 24 * 60 * 60 * 1000

/**
 * Counts the requests per key in this process. The limit per minute refills evenly and allows a
 * burst of one tenth. The limit per day resets at midnight UTC. Rejected requests do not count.
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

/**
 * Reads the keys in a file that only its owner can write.
 * @throws OgError if the file is unreadable, invalid or writable by others
 */
export async function readTeamKeys(path: string): Promise<TeamKey[]> {
  return (await readKeyText(path)).keys
}

async function readKeyText(path: string): Promise<{ keys: TeamKey[]; text: string }> {
  const fail = (why: string): never => {
    throw new OgError(`Cannot read the keys of ${path}: ${why}`, {
      hint: 'og keys add creates it; only its owner may have write permission (chmod go-w)',
    })
  }
  const text = await readTextFile(path, { limitMb: 16 }).catch((error) => fail(messageOf(error)))
  const why = whyUnsafe(path)
  if (why !== null) fail(why)
  return { keys: await parseTeamKeys(text, path), text }
}

/**
 * Atomically replaces the keys in a file. Concurrent changes wait. A new file is private to its
 * owner.
 */
export async function changeTeamKeys(
  path: string,
  change: (keys: TeamKey[]) => TeamKey[],
): Promise<void> {
  const what = `the keys of ${path}`
  using _turn = await lockExclusive(`${path}.lock`, { timeoutMs: 10_000, what, pollMs: 10 })
  if (existsSync(path)) await readTeamKeys(path)
  const plan = async (before: string | null) => {
    const text = teamKeysText(change(before === null ? [] : await parseTeamKeys(before, path)))
    // Parsing the new text proves that it can be read back.
    await parseTeamKeys(text, path)
    return text
  }
  await editTextFile(path, { plan, mode: 0o600, limitMb: 16 })
}
