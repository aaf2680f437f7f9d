import { Database } from 'bun:sqlite'
import { existsSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { localTime } from '../text.ts'
import { privatePath } from '../memory-files.ts'
import type { Workspace } from '../workspace.ts'

/** Number of recalls per entry. It is stored in a database rather than in the memory files. */
export type RecallCounts = Disposable & {
  /**
   * Counts shown entries. Writes the counts after a short delay; a killed process loses the last
   * ones.
   */
  count(entryIds: readonly string[]): void
  /**
   * Returns the counts by entry id and the first day of counting, which is null before the first
   * recall.
   */
  read(): { counts: Map<string, number>; since: string | null }
}

const delayMs = 1000

export function openRecallCounts(workspace: Workspace, clock: () => Date): RecallCounts {
  const path = privatePath(workspace, 'recalls.db')
  const waiting = new Map<string, number>()
  let timer: ReturnType<typeof setTimeout> | null = null

  function flush(): void {
    if (timer !== null) clearTimeout(timer)
    timer = null
    if (waiting.size > 0) writeCounts(path, waiting, localTime(clock()).day)
    waiting.clear()
  }

  return {
    count(entryIds) {
      for (const id of entryIds) waiting.set(id, (waiting.get(id) ?? 0) + 1)
      if (timer !== null || waiting.size === 0) return
      timer = setTimeout(flush, delayMs)
      timer.unref()
    },
    read() {
      flush()
      return readCounts(path)
    },
    [Symbol.dispose]: flush,
  }
}

/**
 * Adds to the stored counts. If the disk is full or read-only, ignores the error, so that search
 * continues.
 */
function writeCounts(path: string, counts: Map<string, number>, day: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true })
    using database = new Database(path, { create: true })
    for (const sql of ['PRAGMA busy_timeout = 200', 'PRAGMA synchronous = OFF', ...tables]) {
      database.run(sql)
    }
    database
      .transaction(() => {
        database.query('INSERT OR IGNORE INTO start VALUES (1, ?)').run(day)
        const add = database.query(`INSERT INTO recalls VALUES (?1, ?2)
        ON CONFLICT (entry) DO UPDATE SET times = times + ?2`)
        for (const [id, times] of counts) add.run(id, times)
      })
      .immediate()
  } catch {
    return
  }
}

const tables = [
  'CREATE TABLE IF NOT EXISTS start (id INTEGER PRIMARY KEY, day TEXT NOT NULL)',
  'CREATE TABLE IF NOT EXISTS recalls (entry TEXT PRIMARY KEY, times INTEGER NOT NULL)',
]

function readCounts(path: string): { counts: Map<string, number>; since: string | null } {
  if (!existsSync(path)) return { counts: new Map(), since: null }
  using database = new Database(path, { readonly: true })
  const rows = database.query<{ entry: string; times: number }, []>('SELECT * FROM recalls').all()
  const start = database.query<{ day: string }, []>('SELECT day FROM start').get()
  const counts = new Map(rows.map(({ entry, times }) => [entry, times]))
  return { counts, since: start?.day ?? null }
}
