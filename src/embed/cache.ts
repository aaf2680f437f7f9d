import type { Database } from 'bun:sqlite'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { messageOf, OgError } from '../platform/error.ts'
import { createLockFile, tryLockExclusive, tryLockShared, type Lock } from '../platform/lock.ts'
import { becomeWal, deleteDatabase, isDamage, openDerived } from '../platform/sqlite.ts'
import type { Embedder } from './embedder.ts'

/** About 400 MB at 384 dimensions; the oldest go first. */
const maxRows = 250_000

export type EmbeddingCache = Disposable & {
  /** The known embeddings of these texts; null where there is none. */
  read(texts: string[]): (Float32Array | null)[]
  /** Keeps row i of the block for text i, in one transaction. */
  write(texts: string[], block: Float32Array): void
  /** Kept as long as the file: by it the model is known that embedded the rest (probe.ts). */
  noted(text: string): Float32Array | null
  note(text: string, embedding: Float32Array): void
  prune(): void
}

/**
 * Embeddings by hash of the embedded text, fingerprint and arithmetic. It makes a second version
 * and a run that was killed cheap; deleting the file costs time and nothing else, so a file that
 * is no database, or a damaged one, is replaced.
 * @throws OgError, from every call, where the file cannot be read or written
 */
export function openEmbeddingCache(
  path: string,
  embedder: Pick<Embedder, 'fingerprint' | 'arithmetic'>,
): EmbeddingCache {
  const lease = saying(path, () => leaseCache(path))
  const { dimensions } = embedder.fingerprint
  let database = saying(path, () => openDerived(path, prepare))
  const keyOf = keysOf(embedder)
  const read = (table: Table, text: string) => {
    const select = database.query(`SELECT embedding FROM ${table} WHERE key = ?`)
    const row = select.get(keyOf(text)) as { embedding: Uint8Array } | null
    if (row?.embedding.length !== dimensions * 4) return null
    // Copied: the blob may not be aligned to 4 bytes.
    return new Float32Array(row.embedding.slice().buffer)
  }
  const write = (table: Table, texts: string[], block: Float32Array) => {
    const insert = database.query(`INSERT OR IGNORE INTO ${table} (key, embedding) VALUES (?, ?)`)
    for (const [row, text] of texts.entries()) {
      const { buffer, byteOffset } = block.subarray(row * dimensions)
      insert.run(keyOf(text), new Uint8Array(buffer, byteOffset, dimensions * 4))
    }
  }
  /** Damage may lie where opening does not look: then the file is made anew, empty. */
  const healed = <T>(run: () => T): T =>
    saying(path, () => {
      try {
        return run()
      } catch (error) {
        if (!isDamage(error)) throw error
        database.close()
        deleteDatabase(path)
        database = openDerived(path, prepare)
        return run()
      }
    })
  return {
    read: (texts) => healed(() => texts.map((text) => read('embeddings', text))),
    write: (texts, block) =>
      healed(() => database.transaction(write).immediate('embeddings', texts, block)),
    noted: (text) => healed(() => read('notes', text)),
    note: (text, embedding) => healed(() => write('notes', [text], embedding)),
    prune() {
      const newest = 'SELECT max(rowid) FROM embeddings'
      const old = `DELETE FROM embeddings WHERE rowid <= (${newest}) - ${maxRows}`
      healed(() => database.run(old))
    },
    [Symbol.dispose]() {
      database.close()
      lease[Symbol.dispose]()
    },
  }
}

/**
 * Deletes the file, or where somebody uses it, what is in it: SQLite's log that is deleted beside
 * an open database is an I/O error to whoever writes it.
 */
export function clearEmbeddingCache(path: string): void {
  if (!existsSync(path)) return deleteDatabase(path)
  using alone = tryLockExclusive(leasePath(path))
  if (alone !== null) return deleteDatabase(path)
  saying(path, () => {
    using database = openDerived(path, prepare)
    database.run('DELETE FROM embeddings')
  })
}

type Made = Pick<Embedder, 'fingerprint' | 'arithmetic'>

/** Under what the embedding of a text is kept. */
function keysOf({ fingerprint, arithmetic }: Made): (text: string) => Buffer {
  // The probe of one model is not the same twice to the last bit.
  const { probe: _, ...named } = fingerprint
  const prefix = JSON.stringify([named, arithmetic])
  return (text) => createHash('sha256').update(prefix).update(text).digest()
}

/** Under what the embedding of a text is kept, in hexadecimal digits. */
export function embeddingKey(made: Made, text: string): string {
  return keysOf(made)(text).toString('hex')
}

/**
 * Forgets all embeddings but those of `keys`, or where `isDry` counts them; `bytes` is what the
 * file then shrinks by. While a process that writes has it open, nothing is forgotten: what it has
 * just put there is of no library version yet.
 */
export function forgetEmbeddings(
  path: string,
  keys: ReadonlySet<string>,
  { isDry }: { isDry: boolean },
): { count: number; bytes: number; inUse: number } {
  const nothing = { count: 0, bytes: 0, inUse: 0 }
  if (!existsSync(path)) return nothing
  using alone = existsSync(leasePath(path)) ? tryLockExclusive(leasePath(path)) : null
  if (alone === null && existsSync(leasePath(path))) return { ...nothing, inUse: 1 }
  return saying(path, () => {
    using database = openDerived(path, prepare)
    const rows = database.query('SELECT rowid, hex(key) AS key, length(embedding) AS bytes ' +
      'FROM embeddings').all() as { rowid: number; key: string; bytes: number }[]
    const unwanted = rows.filter(({ key }) => !keys.has(key.toLowerCase()))
    const bytes = unwanted.reduce((sum, row) => sum + row.bytes + keyBytes, 0)
    if (isDry || unwanted.length === 0) return { count: unwanted.length, bytes, inUse: 0 }
    const forget = database.query('DELETE FROM embeddings WHERE rowid = ?')
    database.transaction(() => unwanted.forEach(({ rowid }) => forget.run(rowid))).immediate()
    database.run('VACUUM')
    return { count: unwanted.length, bytes, inUse: 0 }
  })
}

/** Of a row and its place in the index. */
const keyBytes = 80

/** Held by everybody who has the file open; `locks` lies beside it. */
function leasePath(path: string): string {
  return join(dirname(path), 'locks', 'embeddings')
}

function leaseCache(path: string): Lock {
  mkdirSync(dirname(leasePath(path)), { recursive: true })
  // Closing another handle of it would drop the leases that this process holds.
  if (!existsSync(leasePath(path))) createLockFile(leasePath(path))
  for (let left = 3000; ; left--) {
    const lease = tryLockShared(leasePath(path))
    if (lease !== null) return lease
    if (left === 0) throw new Error('another process has been deleting it for half a minute')
    Bun.sleepSync(10)
  }
}

/** Alike, but that nothing is forgotten of the notes. */
const tables = ['embeddings', 'notes'] as const
type Table = typeof tables[number]

/** Several writers share the file: their transactions are short, so waiting is enough. */
function prepare(database: Database): boolean {
  becomeWal(database)
  database.run('PRAGMA synchronous = NORMAL')
  for (const table of tables) {
    const columns = 'key BLOB NOT NULL UNIQUE, embedding BLOB NOT NULL'
    database.run(`CREATE TABLE IF NOT EXISTS ${table} (${columns})`)
  }
  return true
}

/** Runs a statement and says whose it was where it fails; the file can always be spared. */
function saying<T>(path: string, run: () => T): T {
  try {
    return run()
  } catch (cause) {
    throw new OgError(`Cannot use the embedding cache ${path}: ${messageOf(cause)}`, {
      hint: 'free some space where the disk is full; else delete the file, it is only a cache',
      cause,
    })
  }
}
