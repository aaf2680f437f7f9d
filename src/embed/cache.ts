import { Database } from 'bun:sqlite'
import { createHash } from 'node:crypto'
import type { Embedder } from './embedder.ts'

/** About 400 MB at 384 dimensions; the oldest go first. */
const maxRows = 250_000

export type EmbeddingCache = Disposable & {
  /** The known embeddings of these texts; null where there is none. */
  read(texts: string[]): (Float32Array | null)[]
  /** Keeps row i of the block for text i, in one transaction. */
  write(texts: string[], block: Float32Array): void
  prune(): void
}

/**
 * Embeddings by hash of the embedded text, fingerprint and arithmetic. It makes a second version
 * and a run that was killed cheap; deleting the file costs time and nothing else.
 */
export function openEmbeddingCache(
  path: string,
  embedder: Pick<Embedder, 'fingerprint' | 'arithmetic'>,
): EmbeddingCache {
  const database = openDatabase(path)
  const select = database.query('SELECT embedding FROM embeddings WHERE key = ?')
  const insert = database.query('INSERT OR IGNORE INTO embeddings (key, embedding) VALUES (?, ?)')
  const { dimensions } = embedder.fingerprint
  const prefix = JSON.stringify([embedder.fingerprint, embedder.arithmetic])
  const keyOf = (text: string) => createHash('sha256').update(prefix).update(text).digest()
  return {
    read: (texts) =>
      texts.map((text) => {
        const row = select.get(keyOf(text)) as { embedding: Uint8Array } | null
        // Copied: the blob may not be aligned to 4 bytes.
        return row === null ? null : new Float32Array(row.embedding.slice().buffer)
      }),
    write: database.transaction((texts: string[], block: Float32Array) => {
      for (const [row, text] of texts.entries()) {
        const { buffer, byteOffset } = block.subarray(row * dimensions)
        insert.run(keyOf(text), new Uint8Array(buffer, byteOffset, dimensions * 4))
      }
    }),
    prune() {
      const newest = 'SELECT max(rowid) FROM embeddings'
      database.run(`DELETE FROM embeddings WHERE rowid <= (${newest}) - ${maxRows}`)
    },
    [Symbol.dispose]: () => database.close(),
  }
}

function openDatabase(path: string): Database {
  const database = new Database(path, { create: true })
  // Several writers share the file: their transactions are short, so waiting is enough.
  database.run('PRAGMA busy_timeout = 30000')
  database.run('PRAGMA journal_mode = WAL')
  database.run('PRAGMA synchronous = NORMAL')
  database.run(
    'CREATE TABLE IF NOT EXISTS embeddings (key BLOB NOT NULL UNIQUE, embedding BLOB NOT NULL)',
  )
  return database
}
