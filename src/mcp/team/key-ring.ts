import { stat } from 'node:fs/promises'
import { messageOf } from '../../platform/error.ts'
import { sha256 } from '../../platform/hash.ts'
import { readKeyText } from './key-file.ts'
import { parseExpiry, type TeamKey } from './team-key.ts'

export type LiveKey = TeamKey & { revoked: AbortSignal }

export type KeyRing = Disposable & {
  /**
   * Returns the key with this secret; null if it is unknown or expired. This is a hash lookup, so
   * the number of keys does not matter.
   */
  find(secret: string): LiveKey | null
  /** Returns a hash of the key file, which is the same on all servers that use the file. */
  stamp(): string
}

type KeyRingOptions = {
  /** How often the file is checked for changes. */
  everyMs?: number
  warn(line: string): void
  now?: () => number
}

type KeyEntry = { live: LiveKey; text: string; end: AbortController }

/**
 * Watches the file by polling its stat, because some file systems do not report changes. If the
 * file becomes invalid, warns once and keeps the previous keys valid, so that a typo does not lock
 * anyone out.
 * @throws OgError if at the start the file is unreadable, invalid or writable by others
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
      // The failure may be temporary, so the next check reads the file again, but warns only once.
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

/** Keeps unchanged keys, adds new ones and aborts the others. */
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

/** Identifies the state of the file; empty if the file is missing. */
async function stateOf(path: string): Promise<string> {
  const stats = await stat(path, { bigint: true }).catch(() => null)
  if (stats === null) return ''
  const { dev, ino, size, mtimeNs, ctimeNs } = stats
  return [dev, ino, size, mtimeNs, ctimeNs].join(' ')
}
