import { stat } from 'node:fs/promises'
import { messageOf } from '../../platform/error.ts'
import { sha256 } from '../../platform/hash.ts'
import { readKeyText } from './key-file.ts'
import { expiryOf, type TeamKey } from './team-key.ts'

/** A key in force; the same as long as its file says the same of it. */
export type LiveKey = TeamKey & {
  /** Aborted when the key is taken out, expires, or may do something else: what goes on ends. */
  revoked: AbortSignal
}

/** The keys of a file, as the file is now. */
export type KeyRing = Disposable & {
  /** Whose secret it is; null: nobody's, or it has expired. Takes as long for ten thousand. */
  find(secret: string): LiveKey | null
  /** Differs where the keys do, and is the same for every server with this file. */
  stamp(): string
}

export type KeyRingOptions = {
  /** How often the file is looked at. */
  everyMs?: number
  warn(line: string): void
  now?: () => number
}

type Held = { live: LiveKey; text: string; end: AbortController }

/**
 * Follows the file by asking for its times, which works where no file system tells of changes. One
 * that is wrong is told once, and the keys before stay in force: a slip locks nobody out.
 * @throws OgError where it cannot be read or used now, or others may write it
 */
export async function openKeyRing(path: string, options: KeyRingOptions): Promise<KeyRing> {
  const { everyMs = 1_000, warn, now = Date.now } = options
  let seen = await stateOf(path)
  /** Of the file, when it was told that it is wrong. */
  let warned: string | null = null
  let file = await readKeys(path)
  let held = new Map<string, Held>()
  const take = () => (held = heldBy(file.keys, held))
  take()
  const isOver = ({ expires }: TeamKey) => expires !== undefined && expiryOf(expires) <= now()
  const endExpired = () => {
    for (const { live, end } of held.values()) if (isOver(live)) end.abort()
  }
  let isLooking = false
  async function look(): Promise<void> {
    endExpired()
    const state = await stateOf(path)
    if (state === seen) return
    const read = await readKeys(path).catch((error) => {
      // What fails may do so in passing: it is read again, and told once.
      if (state !== warned) warn(`${messageOf(error)}; the keys before stay in force`)
      warned = state
      return null
    })
    if (read === null) return
    seen = state
    warned = null
    if (read.stamp === file.stamp) return
    file = read
    take()
  }
  const timer = setInterval(() => {
    if (isLooking) return
    isLooking = true
    void look().finally(() => (isLooking = false))
  }, everyMs)
  timer.unref()
  return {
    find(secret) {
      const key = held.get(sha256(secret))
      return key === undefined || isOver(key.live) ? null : key.live
    },
    stamp: () => file.stamp,
    [Symbol.dispose]: () => clearInterval(timer),
  }
}

async function readKeys(path: string): Promise<{ keys: TeamKey[]; stamp: string }> {
  const { keys, text } = await readKeyText(path)
  return { keys, stamp: sha256(text) }
}

/** Keys that say the same stay what they are; the others begin, or end. */
function heldBy(keys: readonly TeamKey[], before: ReadonlyMap<string, Held>): Map<string, Held> {
  const held = new Map(
    keys.map((key) => {
      const text = JSON.stringify(key)
      const last = before.get(key.sha256)
      if (last?.text === text) return [key.sha256, last]
      const end = new AbortController()
      return [key.sha256, { live: { ...key, revoked: end.signal }, text, end }]
    }),
  )
  for (const [hash, one] of before) if (held.get(hash) !== one) one.end.abort()
  return held
}

/** Empty where it is not there. */
async function stateOf(path: string): Promise<string> {
  const stats = await stat(path, { bigint: true }).catch(() => null)
  if (stats === null) return ''
  const { dev, ino, size, mtimeNs, ctimeNs } = stats
  return [dev, ino, size, mtimeNs, ctimeNs].join(' ')
}
