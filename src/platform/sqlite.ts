import { Database } from 'bun:sqlite'
import { rmSync } from 'node:fs'

/**
 * Opens a database of derived data. Recreates it if it is damaged, is not a database, or has a
 * different schema (`prepare` returns `false`).
 */
export function openDerivedDatabase(
  path: string,
  prepare: (database: Database) => boolean,
): Database {
  const database = new Database(path, { create: true })
  try {
    database.run('PRAGMA busy_timeout = 30000')
    if (prepare(database)) return database
    database.close()
  } catch (error) {
    database.close()
    if (!isDamage(error)) throw error
  }
  deleteDatabase(path)
  const fresh = new Database(path, { create: true })
  fresh.run('PRAGMA busy_timeout = 30000')
  prepare(fresh)
  return fresh
}

export function isDamage(error: unknown): boolean {
  return /^SQLITE_(NOTADB|CORRUPT)/.test(codeOf(error))
}

/** True if SQLite reports a full disk, a disk error or a reached limit. */
export function isRefusedByDisk(error: unknown): boolean {
  return /^SQLITE_(FULL|IOERR)/.test(codeOf(error))
}

/** Deletes a database with its log and journal, which SQLite must not apply to a new database. */
export function deleteDatabase(path: string): void {
  for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(path + suffix, { force: true })
}

/**
 * Switches a database to WAL mode. Retries because busy_timeout does not cover the switch: if two
 * processes open a new file together, SQLite rejects one of them immediately to avoid a deadlock
 * (sqlite3_busy_handler).
 */
export function switchToWal(database: Database): void {
  for (let triesLeft = 600; ; triesLeft--) {
    try {
      database.run('PRAGMA journal_mode = WAL')
      return
    } catch (error) {
      if (triesLeft === 0 || !/^SQLITE_BUSY/.test(codeOf(error))) throw error
      Bun.sleepSync(50)
    }
  }
}

function codeOf(error: unknown): string {
  return (error as { code?: string }).code ?? ''
}
