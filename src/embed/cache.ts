import type { Database } from 'bun:sqlite'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { messageOf, OgError } from '../platform/error.ts'
import { createLockFile, tryLockExclusive, tryLockShared, type Lock } from '../platform/lock.ts'
import { switchToWal, deleteDatabase, isDamage, openDerivedDatabase } from '../platform/sqlite.ts'
import type { Embedder } from './embedder.ts'

/** Maximum number of stored embeddings: about 400 MB with 384 dimensions. Evicts the oldest. */
const maxRows = 250_000

export type EmbeddingCache = Disposable & {
  /** Returns the cached embeddings of these texts, or null for texts that are not cached. */
  read(texts: string[]): (Float32Array | null)[]
  /** Stores row i of the block for text i, in one transaction. */
  write(texts: string[], block: Float32Array): void
  /** Returns a permanent embedding that identifies the model of the others (probe.ts). */
  readNote(text: string): Float32Array | null
  note(text: string, embedding: Float32Array): void
  prune(): void
}

/**
 * Opens the embedding cache, whose keys are hashes of embedded text, fingerprint and arithmetic.
 * The cache speeds up adding a further version or repeating an interrupted run. Losing it costs
 * only time, so a file that is damaged or not a database is replaced.
 * @throws OgError, from every call, if the file cannot be read or written
 */
export function openEmbeddingCache(
  path: string,
  embedder: Pick<Embedder, 'fingerprint' | 'arithmetic'>,
): EmbeddingCache {
  const lease = withCacheErrors(path, () => leaseCache(path))
  const { dimensions } = embedder.fingerprint
  let database = withCacheErrors(path, () => openDerivedDatabase(path, prepare))
  const keyOf = keysOf(embedder)
  const read = (table: Table, text: string) => {
    const select = database.query(`SELECT embedding FROM ${table} WHERE key = ?`)
    const row = select.get(keyOf(text)) as { embedding: Uint8Array } | null
    if (row?.embedding.length !== dimensions * 4) return null
    // Copied because the blob may not be aligned to 4 bytes.
    return new Float32Array(row.embedding.slice().buffer)
  }
  const write = (table: Table, texts: string[], block: Float32Array) => {
    const insert = database.query(`INSERT OR IGNORE INTO ${table} (key, embedding) VALUES (?, ?)`)
    for (const [row, text] of texts.entries()) {
      const { buffer, byteOffset } = block.subarray(row * dimensions)
      insert.run(keyOf(text), new Uint8Array(buffer, byteOffset, dimensions * 4))
    }
  }
  /** Runs an operation. If it finds damage, empties the file and repeats the operation. */
  const withRepair = <T>(run: () => T): T =>
    withCacheErrors(path, () => {
      try {
        return run()
      } catch (error) {
        if (!isDamage(error)) throw error
        database.close()
        deleteDatabase(path)
        database = openDerivedDatabase(path, prepare)
        return run()
      }
    })
  return {
    read: (texts) => withRepair(() => texts.map((text) => read('embeddings', text))),
    write: (texts, block) =>
      withRepair(() => database.transaction(write).immediate('embeddings', texts, block)),
    readNote: (text) => withRepair(() => read('notes', text)),
    note: (text, embedding) => withRepair(() => write('notes', [text], embedding)),
    prune() {
      const newest = 'SELECT max(rowid) FROM embeddings'
      const old = `DELETE FROM embeddings WHERE rowid <= (${newest}) - ${maxRows}`
      withRepair(() => database.run(old))
    },
    [Symbol.dispose]() {
      database.close()
      lease[Symbol.dispose]()
    },
  }
}

/**
 * Deletes the cache file. If the file is in use, deletes only the embeddings, because deleting an
 * open database's write-ahead log causes I/O errors in its writers.
 */
export function clearEmbeddingCache(path: string): void {
  if (!existsSync(path)) return deleteDatabase(path)
  using alone = tryLockExclusive(leasePath(path))
  if (alone !== null) return deleteDatabase(path)
  withCacheErrors(path, () => {
    using database = openDerivedDatabase(path, prepare)
    database.run('DELETE FROM embeddings')
  })
}

type EmbedderIdentity = Pick<Embedder, 'fingerprint' | 'arithmetic'>

/** Returns a function that computes a text's cache key. */
function keysOf({ fingerprint, arithmetic }: EmbedderIdentity): (text: string) => Buffer {
  // Excludes the probe, which is not reproducible to the last bit even with the same model.
  const { probe: _, ...identity } = fingerprint
  const prefix = JSON.stringify([identity, arithmetic])
  return (text) => createHash('sha256').update(prefix).update(text).digest()
}

/** Returns the cache key of a text's embedding in hexadecimal. */
export function embeddingKey(embedder: EmbedderIdentity, text: string): string {
  return keysOf(embedder)(text).toString('hex')
}

/**
 * Removes all embeddings whose key is not in `keys`. With `isDry`, only counts them. `bytes` is the
 * freed space. Removes nothing while another process has the cache open, because its latest
 * embeddings do not belong to any library version yet.
 */
export function deleteUnusedEmbeddings(
  path: string,
  keys: ReadonlySet<string>,
  { isDry }: { isDry: boolean },
): { count: number; bytes: number; inUse: number } {
  const nothing = { count: 0, bytes: 0, inUse: 0 }
  if (!existsSync(path)) return nothing
  using alone = existsSync(leasePath(path)) ? tryLockExclusive(leasePath(path)) : null
  if (alone === null && existsSync(leasePath(path))) return { ...nothing, inUse: 1 }
  return withCacheErrors(path, () => {
    using database = openDerivedDatabase(path, prepare)
    const rows = database
      .query('SELECT rowid, hex(key) AS key, length(embedding) AS bytes ' + 'FROM embeddings')
      .all() as { rowid: number; key: string; bytes: number }[]
    const forgotten = rows.filter(({ key }) => !keys.has(key.toLowerCase()))
    const bytes = forgotten.reduce((sum, row) => sum + row.bytes + keyBytes, 0)
    if (isDry || forgotten.length === 0) return { count: forgotten.length, bytes, inUse: 0 }
    const forget = database.query('DELETE FROM embeddings WHERE rowid = ?')
    database.transaction(() => forgotten.forEach(({ rowid }) => forget.run(rowid))).immediate()
    database.run('VACUUM')
    return { count: forgotten.length, bytes, inUse: 0 }
  })
}

/** Estimated bytes per row apart from its embedding, including its index entry. */
const keyBytes = 80

/**
 * Returns the path of the lock file that every process holds while it has the cache open. It is in
 * the folder `locks` next to the cache.
 */
function leasePath(path: string): string {
  return join(dirname(path), 'locks', 'embeddings')
}

function leaseCache(path: string): Lock {
  mkdirSync(dirname(leasePath(path)), { recursive: true })
  // Created only if missing: closing a second handle to the file would drop this process's own
  // leases.
  if (!existsSync(leasePath(path))) createLockFile(leasePath(path))
  for (let left = 3000; ; left--) {
    const lease = tryLockShared(leasePath(path))
    if (lease !== null) return lease
    if (left === 0) throw new Error('another process has been deleting it for half a minute')
    Bun.sleepSync(10)
  }
}

/** The cache's tables, which have the same columns. Rows in `notes` are never removed. */
const tables = ['embeddings', 'notes'] as const
type Table = (typeof tables)[number]

/** Prepares the database for several writers, whose short transactions wait for each other. */
function prepare(database: Database): boolean {
  switchToWal(database)
  database.run('PRAGMA synchronous = NORMAL')
  for (const table of tables) {
    const columns = 'key BLOB NOT NULL UNIQUE, embedding BLOB NOT NULL'
    database.run(`CREATE TABLE IF NOT EXISTS ${table} (${columns})`)
  }
  return true
}

/** Runs an operation. Its errors name the cache file and say that it can be deleted. */
function withCacheErrors<T>(path: string, run: () => T): T {
  try {
    return run()
  } catch (cause) {
    throw new OgError(`Cannot use the embedding cache ${path}: ${messageOf(cause)}`, {
      hint: 'if the disk is full, free some space; otherwise delete the file, it is only a cache',
      cause,
    })
  }
}
