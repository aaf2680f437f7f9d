import { Database } from 'bun:sqlite'
import { rmSync } from 'node:fs'

/**
 * Opens a database that only repeats what is kept elsewhere, so that one which is damaged, is no
 * database, or for which `prepare` answers `false` (another schema) is deleted and made again.
 */
export function openDerived(path: string, prepare: (database: Database) => boolean): Database {
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

/** Whether SQLite says that the file itself is broken. */
export function isDamage(error: unknown): boolean {
  return /^SQLITE_(NOTADB|CORRUPT)/.test(codeOf(error))
}

/** Whether SQLite says that the disk takes no more: it is full, or a limit on files is reached. */
export function isRefusedByDisk(error: unknown): boolean {
  return /^SQLITE_(FULL|IOERR)/.test(codeOf(error))
}

/** The file and what SQLite keeps beside it: an old log must never meet a new database. */
export function deleteDatabase(path: string): void {
  for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(path + suffix, { force: true })
}

/**
 * busy_timeout does not cover the change into WAL: of two processes that open a new file at once,
 * SQLite refuses one at once rather than risk a deadlock (sqlite3_busy_handler).
 */
export function becomeWal(database: Database): void {
  for (let left = 600; ; left--) {
    try {
      database.run('PRAGMA journal_mode = WAL')
      return
    } catch (error) {
      if (left === 0 || !/^SQLITE_BUSY/.test(codeOf(error))) throw error
      Bun.sleepSync(50)
    }
  }
}

function codeOf(error: unknown): string {
  return (error as { code?: string }).code ?? ''
}
