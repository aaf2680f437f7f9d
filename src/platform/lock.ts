import { Database } from 'bun:sqlite'
import { closeSync, openSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { OgError } from './error.ts'

/** Held until released or until the process ends, however it ends: the kernel drops the lock. */
export type Lock = Disposable

export type LockOptions = {
  timeoutMs: number
  /** What is locked, for messages: `library "ray" version "2.0"`. */
  what: string
  /** Called once, when the lock is not free at the first try. */
  onWait?: () => void
  signal?: AbortSignal
}

/**
 * Takes the exclusive lock of `path`, polling until it is free. Locks are SQLite's (fcntl) on an
 * empty database file: they vanish with their process, which a pid file does not.
 */
export async function lockExclusive(path: string, options: LockOptions): Promise<Lock> {
  await mkdir(dirname(path), { recursive: true })
  const deadline = performance.now() + options.timeoutMs
  let waited = false
  for (;;) {
    const lock = tryLock(path, 'BEGIN EXCLUSIVE')
    if (lock !== null) return lock
    if (!waited) options.onWait?.()
    waited = true
    if (performance.now() >= deadline) {
      throw new OgError(
        `Cannot lock ${options.what}: another process has been writing it ` +
          `for ${Math.round(options.timeoutMs / 1000)} s`,
        { hint: 'wait for it, or give a longer --lock-timeout' },
      )
    }
    options.signal?.throwIfAborted()
    await Bun.sleep(Math.min(100, Math.max(1, deadline - performance.now())))
  }
}

/** The exclusive lock of `path` if it is free this moment, else null. */
export function tryLockExclusive(path: string): Lock | null {
  return tryLock(path, 'BEGIN EXCLUSIVE')
}

/**
 * A lock that any number of readers hold together and that keeps `tryLockExclusive` from
 * succeeding. Null where the file is gone or about to go. Works on read-only folders.
 */
export function tryLockShared(path: string): Lock | null {
  return tryLock(path, 'BEGIN; SELECT count(*) FROM sqlite_master', { readonly: true })
}

/** Creates the empty file that a shared lock needs. */
export function createLockFile(path: string): void {
  closeSync(openSync(path, 'a'))
}

function tryLock(path: string, sql: string, options: { readonly?: boolean } = {}): Lock | null {
  let database: Database | null = null
  try {
    database = new Database(path, options.readonly ? { readonly: true } : { create: true })
    for (const statement of sql.split('; ')) database.query(statement).get()
  } catch (error) {
    database?.close()
    const code = (error as { code?: string }).code ?? ''
    if (code.startsWith('SQLITE_BUSY')) return null
    if (code === 'SQLITE_CANTOPEN' && options.readonly === true) return null
    throw error
  }
  const held = database
  return { [Symbol.dispose]: () => held.close() }
}
