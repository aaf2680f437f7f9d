import { Database } from 'bun:sqlite'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { World } from '../e2e.ts'

/** Returns how many embeddings a store has in its cache. */
export function nCached({ store }: Pick<World, 'store'>): number {
  const path = join(store, 'embeddings.sqlite')
  if (!existsSync(path)) return 0
  using database = new Database(path, { readonly: true })
  // After a kill, SQLite recovers the log first.
  database.run('PRAGMA busy_timeout = 10000')
  const isThere = database.query("SELECT 1 FROM sqlite_master WHERE name = 'embeddings'").get()
  if (!isThere) return 0
  return (database.query('SELECT count(*) AS n FROM embeddings').get() as { n: number }).n
}
