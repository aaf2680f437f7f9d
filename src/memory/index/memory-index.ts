import { Database } from 'bun:sqlite'
import { existsSync, mkdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { messageOf } from '../../platform/error.ts'
import {
  deleteDatabase,
  isDamage,
  isRefusedByDisk,
  switchToWal,
  openDerivedDatabase,
} from '../../platform/sqlite.ts'
import { defaultChunking, entryChunks, type EntryChunking } from './entry-chunks.ts'
import { analyserVersion } from '../../store/chunker.ts'

/**
 * The SQLite index of a workspace, which can be rebuilt from the files at any time. `path` is
 * relative and uses `/`. All rows of a file are written in one transaction.
 */
export type MemoryIndex = Disposable & {
  readonly folder: string
  readonly chunking: EntryChunking
  readonly seedTexts: ReadonlySet<string>
  database: Database
  /** The reason why the index is in memory; null if it is on disk. */
  inMemoryBecause: string | null
}

/**
 * Opens the index of a folder. If the folder is missing, the index is empty and stays in memory
 * until `moveToCreatedFolder` is called. `seeds` contains the files of a new workspace by name.
 */
export function openMemoryIndex(
  folder: string,
  options: { seeds?: Readonly<Record<string, string>>; chunking?: EntryChunking } = {},
): MemoryIndex {
  const isCreated = existsSync(folder)
  const path = isCreated ? realpathSync(folder) : folder
  const chunking = options.chunking ?? defaultChunking
  const seeds = Object.entries(options.seeds ?? {}).flatMap(([path, text]) =>
    entryChunks({ path, text }, chunking),
  )
  const index: MemoryIndex = {
    folder: path,
    chunking,
    seedTexts: new Set(seeds.map(({ text }) => text)),
    ...(isCreated ? openIndexDatabase(path) : openIndexInMemory(path, noFolder)),
    [Symbol.dispose]: () => index.database.close(),
  }
  return index
}

const noFolder = 'its folder does not exist yet'

export function moveToCreatedFolder(index: MemoryIndex): void {
  if (index.inMemoryBecause !== noFolder || !existsSync(index.folder)) return
  index.database.close()
  Object.assign(index, openIndexDatabase(index.folder))
}

/** True if the index is in memory because the existing folder is not writable. */
export function isRefusedByFolder({ inMemoryBecause }: MemoryIndex): boolean {
  return inMemoryBecause !== null && inMemoryBecause !== noFolder
}

/**
 * Runs `ask`. If the index fails, empties a damaged index or moves a read-only index into memory,
 * and runs `ask` again.
 */
export function retryIfDamaged<T>(index: MemoryIndex, ask: () => T): T {
  try {
    return ask()
  } catch (error) {
    if (isDamage(error)) emptyIndex(index)
    else if (isRefusedByDisk(error) && index.inMemoryBecause === null) leaveDisk(index, error)
    else throw error
    return ask()
  }
}

function leaveDisk(index: MemoryIndex, error: unknown): void {
  index.database.close()
  Object.assign(index, openIndexInMemory(index.folder, messageOf(error)))
}

export function emptyIndex(index: MemoryIndex): void {
  index.database.close()
  deleteDatabase(join(index.folder, indexPath))
  Object.assign(index, openIndexDatabase(index.folder))
}

/** `inMemoryBecause` is null if the index is on disk. */
export type IndexDatabase = { database: Database; inMemoryBecause: string | null }

/** The path of the index in a workspace. Upstream's `memory.db` is next to it and never changes. */
export const indexPath = join('.index', 'og.db')

/**
 * Opens the index of a workspace. If the index is damaged or has a different schema, rebuilds it.
 * If it is not writable, keeps it in memory.
 */
export function openIndexDatabase(folder: string): IndexDatabase {
  try {
    mkdirSync(join(folder, '.index'), { recursive: true })
    return {
      database: openDerivedDatabase(join(folder, indexPath), prepare),
      inMemoryBecause: null,
    }
  } catch (error) {
    return openIndexInMemory(folder, messageOf(error))
  }
}

/** Copies a read-only index into memory, or creates an empty index there. */
export function openIndexInMemory(folder: string, because: string): IndexDatabase {
  const database = copyInMemory(join(folder, indexPath)) ?? new Database(':memory:')
  prepare(database)
  return { database, inMemoryBecause: because }
}

/**
 * Copies a read-only index into memory to keep its embeddings. Returns null if the index is
 * missing, has a different schema, or has data in its write-ahead log.
 */
function copyInMemory(path: string): Database | null {
  let database: Database | null = null
  try {
    if ((statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0) return null
    const bytes = readFileSync(path)
    // In-memory databases do not support WAL. Bytes 18 and 19 of the header contain the journal
    // mode: 2 means WAL, 1 a rollback journal.
    bytes.fill(1, 18, 20)
    database = Database.deserialize(bytes)
    if (prepare(database)) return database
  } catch {
    // The caller rebuilds an unreadable or damaged index.
  }
  database?.close()
  return null
}

/** Increase this version when a table or the content of rows changes. */
const schemaVersion = `og-memory-3 ${analyserVersion}`

function prepare(database: Database): boolean {
  switchToWal(database)
  // After a power failure, lost rows are rebuilt from the files.
  database.run('PRAGMA synchronous = NORMAL')
  return database
    .transaction(() => {
      database.run('CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT)')
      const select = database.query<{ value: string }, []>('SELECT value FROM meta')
      const version = select.get()?.value
      if (version !== undefined) return version === schemaVersion
      for (const sql of [...tables, validityIndex]) database.run(sql)
      database.query(`INSERT INTO meta VALUES ('schema', ?)`).run(schemaVersion)
      return true
    })
    .immediate()
}

/**
 * White space separates terms (`chunk/terms.ts`). All other ASCII characters are part of a term.
 */
const tokenizer = `ascii tokenchars '!#$%&()*+,-./:;<=>?@[]^_{|}~'`

/** Contains only entries with a period of validity, which are few. */
const validityIndex = `CREATE INDEX chunks_validity ON chunks (valid_until, valid_from)
  WHERE valid_until IS NOT NULL OR valid_from IS NOT NULL`

const tables = [
  // `hash` is null after an append, which does not read the file.
  `CREATE TABLE files (
    path TEXT PRIMARY KEY, source TEXT NOT NULL, state TEXT NOT NULL, hash TEXT,
    newlines INTEGER NOT NULL)`,
  // `key` hashes everything except the lines and recognizes a moved entry. `tags` has the form '
  // one two '.
  `CREATE TABLE chunks (
    id INTEGER PRIMARY KEY AUTOINCREMENT, path TEXT NOT NULL, source TEXT NOT NULL,
    start_line INTEGER NOT NULL, end_line INTEGER NOT NULL, key TEXT NOT NULL,
    entry_id TEXT NOT NULL, part INTEGER NOT NULL, heading TEXT NOT NULL, date TEXT, time TEXT,
    tags TEXT NOT NULL, body_hash TEXT, text TEXT NOT NULL, embedded TEXT NOT NULL,
    embed_hash BLOB NOT NULL, valid_from TEXT, valid_until TEXT)`,
  'CREATE INDEX chunks_path ON chunks (path, start_line)',
  'CREATE INDEX chunks_embed_hash ON chunks (embed_hash)',
  'CREATE INDEX chunks_entry ON chunks (entry_id)',
  'CREATE INDEX chunks_body ON chunks (body_hash)',
  'CREATE TABLE corrections (corrected TEXT NOT NULL, chunk INTEGER NOT NULL, ' +
    'is_supersession INTEGER NOT NULL DEFAULT 0)',
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
