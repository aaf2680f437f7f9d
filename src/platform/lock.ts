import { Database } from 'bun:sqlite'
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  openSync,
  rmSync,
  statSync,
  truncateSync,
} from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { messageOf, OgError } from './error.ts'
import { isDamage } from './sqlite.ts'

/** `using` releases a held lock. If the process ends or is killed, the kernel releases it. */
export type Lock = Disposable

type LockOptions = {
  timeoutMs: number
  /** The locked object as named in messages, for example `library "ray" version "2.0"`. */
  what: string
  /** Called once if the lock is not free. Without it, `onSlowLock` reports a long wait. */
  onWait?: () => void
  signal?: AbortSignal
  /** The remedy to suggest if the lock is not free in time. */
  hint?: string
  /** Milliseconds between two attempts, 100 by default. */
  pollMs?: number
}

let reportSlowLock: (what: string) => void = () => {}
const slowMs = 1000

/** Sets a function that is called with the locked object if this process waits for a lock. */
export function onSlowLock(report: (what: string) => void): void {
  reportSlowLock = report
}

/**
 * Takes the exclusive lock on `path`, polling until it is free. Uses SQLite's locks (fcntl) on an
 * empty database file because they vanish with their process, unlike pid files.
 * @throws OgError if the lock is not free in time, or if the lock file cannot be written
 */
export async function lockExclusive(path: string, options: LockOptions): Promise<Lock> {
  const { timeoutMs, what, signal, pollMs = 100, onWait } = options
  const folder = dirname(path)
  // The synchronous check is faster than a round trip to a thread.
  if (!existsSync(folder) || !statSync(folder).isDirectory()) {
    await mkdir(folder, { recursive: true }).catch((cause) => refuse(what, path, cause))
  }
  const start = performance.now()
  const deadline = start + timeoutMs
  let isReported = false
  for (;;) {
    signal?.throwIfAborted()
    const lock = tryExclusive(path, what)
    if (lock !== null) return lock
    if (performance.now() >= deadline) throw notInTime(options)
    if (!isReported && (onWait !== undefined || performance.now() - start >= slowMs)) {
      isReported = true
      if (onWait === undefined) reportSlowLock(what)
      else onWait()
    }
    await Bun.sleep(Math.min(pollMs, Math.max(1, deadline - performance.now())))
  }
}

/** Takes the exclusive lock on `path` if it is free now; otherwise returns null. */
export function tryLockExclusive(path: string): Lock | null {
  return tryExclusive(path, `"${path}"`)
}

/**
 * Takes a shared lock, which any number of readers can hold together. While a reader holds it,
 * `tryLockExclusive` returns null. Returns null if the lock is held exclusively, or if the file is
 * missing or is not a lock file. Works in read-only folders.
 */
export function tryLockShared(path: string): Lock | null {
  try {
    const lock = tryLock(path, { sql: sharedLock, readonly: true })
    // If the folder was renamed between opening and locking, the lock does not protect it.
    if (lock === null || existsSync(path)) return lock
    lock[Symbol.dispose]()
    return null
  } catch (cause) {
    if (!existsSync(path) || isSpoilt(path, cause)) return null
    throw new OgError(`Cannot lock "${path}" for reading: ${messageOf(cause)}`, { cause })
  }
}

/**
 * Like `lockExclusive`, but deletes the lock file while holding the lock, because others publish
 * the folder and no file may remain in it. A process that then gets the lock on the deleted file
 * retries.
 */
export async function lockTransient(path: string, options: LockOptions): Promise<Lock> {
  for (;;) {
    await mkdir(dirname(path), { recursive: true }).catch((cause) =>
      refuse(options.what, path, cause),
    )
    const before = identityOf(path) ?? createdIdentity(path, options.what)
    const lock = await lockExclusive(path, options)
    if (before !== null && before === identityOf(path)) {
      return {
        [Symbol.dispose]() {
          rmSync(path, { force: true })
          lock[Symbol.dispose]()
        },
      }
    }
    lock[Symbol.dispose]()
  }
}

/**
 * Returns a string that identifies a file, or null if there is no file. The string changes if
 * another file replaces it at the same path.
 */
function identityOf(path: string): string | null {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false })
  return stats === undefined ? null : `${stats.dev} ${stats.ino} ${stats.birthtimeNs}`
}

function createdIdentity(path: string, what: string): string | null {
  try {
    createLockFile(path)
  } catch (cause) {
    return refuse(what, path, cause)
  }
  return identityOf(path)
}

export function createLockFile(path: string): void {
  closeSync(openSync(path, 'a'))
}

// For an empty file, SQLite prepares the first page and writes a journal for it. The journal stays
// in memory because the disk may be full, and a `kill -9` would leave the file behind.
const exclusiveLock = ['PRAGMA journal_mode = MEMORY', 'BEGIN EXCLUSIVE']
// The SELECT takes the lock; BEGIN alone takes none.
const sharedLock = ['BEGIN', 'SELECT count(*) FROM sqlite_master']

function tryExclusive(path: string, what: string): Lock | null {
  try {
    // SQLite opens a file that is not writable as read-only. BEGIN EXCLUSIVE then silently takes
    // only a shared lock.
    if (existsSync(path)) accessSync(path, constants.W_OK)
    return tryLock(path, { sql: exclusiveLock, readonly: false })
  } catch (cause) {
    if (!isDamage(cause)) return refuse(what, path, cause)
    // The file contains other data, so no process holds it as a lock. Truncate it instead of
    // replacing it: if two processes do this at once, the second then does not break the first
    // one's lock.
    truncateSync(path)
    return tryLock(path, { sql: exclusiveLock, readonly: false })
  }
}

function isSpoilt(path: string, cause: unknown): boolean {
  return isDamage(cause) || statSync(path, { throwIfNoEntry: false })?.isFile() === false
}

function tryLock(path: string, { sql, readonly }: { sql: string[]; readonly: boolean }) {
  let database: Database | null = null
  try {
    database = new Database(path, readonly ? { readonly } : { create: true })
    for (const statement of sql) database.query(statement).get()
  } catch (error) {
    database?.close()
    if ((error as { code?: string }).code?.startsWith('SQLITE_BUSY')) return null
    throw error
  }
  const lockedDatabase = database
  return { [Symbol.dispose]: () => lockedDatabase.close() }
}

function notInTime({ what, timeoutMs, hint }: LockOptions): OgError {
  const seconds = Math.round(timeoutMs / 1000)
  return new OgError(`Cannot lock ${what}: another process is writing it (waited ${seconds} s)`, {
    hint: hint ?? 'wait for it to end, then run the command again',
  })
}

function refuse(what: string, path: string, cause: unknown): never {
  throw new OgError(`Cannot lock ${what}: ${messageOf(cause)}`, {
    hint: `make ${dirname(path)} and its files writable`,
    cause,
  })
}
