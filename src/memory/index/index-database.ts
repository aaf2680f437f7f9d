import { Database } from 'bun:sqlite'
import { mkdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { analyserVersion } from '../../chunk/terms.ts'
import { messageOf } from '../../platform/error.ts'
import { becomeWal, openDerived } from '../../platform/sqlite.ts'

/** An open index, and why it is not kept on the disk where it is not. */
export type IndexDatabase = { database: Database; inMemoryBecause: string | null }

/** Where the index lies in a workspace: beside upstream's `memory.db`, which stays as it is. */
export const indexPath = join('.index', 'og.db')

/**
 * Opens the index of a workspace. Everything in it comes from the Markdown files: an index of
 * another schema or with damage is made again, and where none can be written it lives in memory.
 */
export function openIndexDatabase(folder: string): IndexDatabase {
  try {
    mkdirSync(join(folder, '.index'), { recursive: true })
    return { database: openDerived(join(folder, indexPath), prepare), inMemoryBecause: null }
  } catch (error) {
    return openInMemory(folder, messageOf(error))
  }
}

/** An index in memory, where the disk takes none: a copy of the one on disk, else empty. */
export function openInMemory(folder: string, because: string): IndexDatabase {
  const database = copyInMemory(join(folder, indexPath)) ?? new Database(':memory:')
  prepare(database)
  return { database, inMemoryBecause: because }
}

/**
 * A copy in memory of an index that may only be read: making it anew would lose its embeddings.
 * Null where there is none of this schema, or where part of it is still in its log.
 */
function copyInMemory(path: string): Database | null {
  let database: Database | null = null
  try {
    if ((statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0) return null
    const bytes = readFileSync(path)
    // The format version of the header: 2 means a log (WAL), which a database in memory has not.
    bytes.fill(1, 18, 20)
    database = Database.deserialize(bytes)
    if (prepare(database)) return database
  } catch {
    // Unreadable or damaged: it is made anew.
  }
  database?.close()
  return null
}

/** Bump with every change of a table, or of what a row holds. */
const schemaVersion = `og-memory-2 ${analyserVersion}`

/** The schema before, in which appended relations had another heading and id than read ones. */
const versionBefore = `og-memory-1 ${analyserVersion}`

/** Upgrades from `versionBefore`: the next sync reads RELATIONS.md again; embeddings stay. */
function followRelations(database: Database): void {
  database.run(`UPDATE files SET state = '', hash = NULL WHERE source = 'relations'`)
  database.query(`UPDATE meta SET value = ? WHERE key = 'schema'`).run(schemaVersion)
}

function prepare(database: Database): boolean {
  becomeWal(database)
  // Rows that a power cut takes are made again from the files, which are synced.
  database.run('PRAGMA synchronous = NORMAL')
  return database
    .transaction(() => {
      database.run('CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT)')
      const select = database.query<{ value: string }, []>('SELECT value FROM meta')
      const version = select.get()?.value
      if (version === versionBefore) followRelations(database)
      else if (version !== undefined) return version === schemaVersion
      if (version !== undefined) return true
      for (const sql of tables) database.run(sql)
      database.query(`INSERT INTO meta VALUES ('schema', ?)`).run(schemaVersion)
      return true
    })
    .immediate()
}

/** Terms hold no whitespace (`chunk/terms.ts`); every other character of ASCII is part of one. */
const tokenizer = `ascii tokenchars '!#$%&()*+,-./:;<=>?@[]^_{|}~'`

const tables = [
  // state: size, time and inode when it was read; hash: null after an append, which reads nothing.
  `CREATE TABLE files (
    path TEXT PRIMARY KEY, source TEXT NOT NULL, state TEXT NOT NULL, hash TEXT,
    newlines INTEGER NOT NULL)`,
  // key: everything but the lines, so that a moved entry is known again; tags: ' one two '.
  `CREATE TABLE chunks (
    id INTEGER PRIMARY KEY AUTOINCREMENT, path TEXT NOT NULL, source TEXT NOT NULL,
    start_line INTEGER NOT NULL, end_line INTEGER NOT NULL, key TEXT NOT NULL,
    entry_id TEXT NOT NULL, part INTEGER NOT NULL, heading TEXT NOT NULL, date TEXT, time TEXT,
    tags TEXT NOT NULL, body_hash TEXT, text TEXT NOT NULL, embedded TEXT NOT NULL,
    embed_hash BLOB NOT NULL)`,
  'CREATE INDEX chunks_path ON chunks (path, start_line)',
  'CREATE INDEX chunks_embed_hash ON chunks (embed_hash)',
  'CREATE INDEX chunks_entry ON chunks (entry_id)',
  'CREATE INDEX chunks_body ON chunks (body_hash)',
  'CREATE TABLE corrections (corrected TEXT NOT NULL, chunk INTEGER NOT NULL)',
  'CREATE INDEX corrections_corrected ON corrections (corrected)',
  'CREATE INDEX corrections_chunk ON corrections (chunk)',
  `CREATE VIRTUAL TABLE chunk_terms USING fts5 (
    heading, tags, body, content = '', contentless_delete = 1, tokenize = "${tokenizer}")`,
  `CREATE VIRTUAL TABLE term_counts USING fts5vocab (chunk_terms, 'row')`,
  `CREATE TABLE embedders (
    id INTEGER PRIMARY KEY AUTOINCREMENT, fingerprint TEXT NOT NULL UNIQUE, used_at INTEGER)`,
  `CREATE TABLE embeddings (
    id INTEGER PRIMARY KEY AUTOINCREMENT, embedder INTEGER NOT NULL, hash BLOB NOT NULL,
    vector BLOB NOT NULL, UNIQUE (embedder, hash))`,
]
