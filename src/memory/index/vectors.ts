import type { Embedder, Fingerprint } from '../../embed/embedder.ts'
import { settlesWithin } from '../../platform/concurrency.ts'
import type { Kernels } from '../../platform/kernels/kernels.ts'
import type { MemoryIndex } from './memory-index.ts'

/** The embeddings of an index by one embedder, in memory for exact search. */
export type Vectors = AsyncDisposable & {
  /** Number of chunks without an embedding. */
  readonly nPending: number
  /**
   * Returns the chunks with the highest cosines, best first. `allowed` filters before the search,
   * so that a small tier is not crowded out.
   */
  nearest(query: Float32Array, limit: number, allowed: Set<number> | null): NearChunk[]
  /** Returns the cosine of each chunk. Omits chunks without an embedding. */
  cosines(query: Float32Array, ids: readonly number[]): Map<number, number>
  embeddings(ids: number[]): (Float32Array | null)[]
  /**
   * Embeds pending chunks, newest first. Resolves when all are embedded or after `waitMs`; the rest
   * continues in the background. Rejects if the embedder fails.
   */
  embedPending(waitMs: number): Promise<void>
}

export type NearChunk = { id: number; cosine: number }

type Options = { embedder: Embedder; kernels: Kernels; warn: (line: string) => void }

/**
 * Opens the embeddings by `embedder`. The index also keeps those by the previous embedder, which
 * makes switching back cheap.
 */
export function openVectors(index: MemoryIndex, options: Options): Vectors {
  const { embedder, kernels } = options
  const { dimensions: dims } = embedder.fingerprint
  let state = emptyState(index, options)
  let running: Promise<void> | null = null
  let isClosing = false

  function refresh(): void {
    // A recreated index reuses ids.
    if (state.database !== index.database) state = emptyState(index, options)
    takeChanges(state)
  }

  async function embedAll(): Promise<void> {
    const batch = embedder.batchTexts ?? 8
    for (refresh(); state.pending.size > 0 && !isClosing; refresh()) {
      await embedSome(state, embedder, [...state.pending].slice(-batch).reverse())
    }
  }

  return {
    get nPending() {
      return state.pending.size
    },
    nearest(query, limit, allowed) {
      refresh()
      return nearestRows(state, { query, limit, allowed, kernels, dims })
    },
    cosines: (query, ids) =>
      new Map(
        ids.flatMap((id) => {
          const row = state.rowOf.get(id)
          return row === undefined ? [] : [[id, dot(query, state.block, row * dims)] as const]
        }),
      ),
    embeddings: (ids) =>
      ids.map((id) => {
        const row = state.rowOf.get(id)
        return row === undefined ? null : state.block.subarray(row * dims, (row + 1) * dims)
      }),
    async embedPending(waitMs) {
      refresh()
      if (state.pending.size === 0) return
      const work = (running ??= embedAll().finally(() => (running = null)))
      // The waiting caller receives a failure. A later failure must not end the process.
      work.catch(() => {})
      if (await settlesWithin(waitMs, work)) await work
    },
    async [Symbol.asyncDispose]() {
      isClosing = true
      await running?.catch(() => {})
    },
  }
}

type State = {
  database: MemoryIndex['database']
  dims: number
  embedderId: number
  ids: number[]
  rowOf: Map<number, number>
  block: Float32Array
  bytes: Uint8Array
  pending: Set<number>
  seen: Counters
}

/**
 * Counters that reveal changes. The sequences only grow, and `nChunks` decreases only by deletion.
 */
type Counters = { lastChunk: number; lastEmbedding: number; nChunks: number }

const selectCounters = `SELECT
  ifnull((SELECT seq FROM sqlite_sequence WHERE name = 'chunks'), 0) AS lastChunk,
  ifnull((SELECT seq FROM sqlite_sequence WHERE name = 'embeddings'), 0) AS lastEmbedding,
  (SELECT count(*) FROM chunks) AS nChunks`

function emptyState({ database }: MemoryIndex, { embedder, warn }: Options): State {
  return {
    database,
    dims: embedder.fingerprint.dimensions,
    embedderId: enter(database, embedder.fingerprint, warn),
    ids: [],
    rowOf: new Map(),
    block: new Float32Array(0),
    bytes: new Uint8Array(0),
    pending: new Set(),
    seen: { lastChunk: 0, lastEmbedding: 0, nChunks: 0 },
  }
}

/**
 * Returns the id of an embedder in the index, and registers a new embedder. Deletes the embeddings
 * of all others except the most recent one.
 */
function enter(
  database: MemoryIndex['database'],
  fingerprint: Fingerprint,
  warn: (line: string) => void,
): number {
  const text = JSON.stringify(fingerprint)
  const newest = 'SELECT id, fingerprint FROM embedders ORDER BY used_at DESC, id DESC LIMIT 1'
  const last = database.query<{ id: number; fingerprint: string }, []>(newest).get()
  if (last?.fingerprint === text) return last.id
  return database
    .transaction(() => {
      const { nChunks } = database.query<Counters, []>(selectCounters).get()!
      if (last !== null && nChunks > 0) {
        const { model } = JSON.parse(last.fingerprint) as Fingerprint
        const change = `embedder changed from ${model} to ${fingerprint.model}`
        warn(`${change}: ${nChunks} chunks are embedded again`)
      }
      database
        .query(`INSERT INTO embedders (fingerprint, used_at) VALUES (?1, ?2)
        ON CONFLICT (fingerprint) DO UPDATE SET used_at = ?2`)
        .run(text, Date.now())
      const latest = 'SELECT id FROM embedders ORDER BY used_at DESC, id DESC LIMIT 2'
      database.run(`DELETE FROM embedders WHERE id NOT IN (${latest})`)
      database.run('DELETE FROM embeddings WHERE embedder NOT IN (SELECT id FROM embedders)')
      return database.query<{ id: number }, []>(newest).get()!.id
    })
    .immediate()
}

function takeChanges(state: State): void {
  const { database, seen, embedderId } = state
  const now = database.query<Counters, []>(selectCounters).get()!
  if (Bun.deepEquals(now, seen)) return
  if (seen.lastChunk === 0) reserve(state, now.nChunks)
  // Rows as objects would double the time of a cold search.
  const fresh = database.query<unknown, [number, number]>(
    `SELECT chunks.id, vector FROM chunks LEFT JOIN embeddings
      ON embedder = ? AND hash = embed_hash
      WHERE chunks.id > ? AND embedded != '' ORDER BY chunks.id`,
  )
  for (const row of fresh.values(embedderId, seen.lastChunk)) {
    const [id, vector] = row as [number, Uint8Array | null]
    if (vector === null) state.pending.add(id)
    else place(state, id, vector)
  }
  if (now.lastEmbedding > seen.lastEmbedding && seen.lastChunk > 0) {
    const later = database.query<{ id: number; vector: Uint8Array }, [number, number]>(
      `SELECT chunks.id, vector FROM embeddings JOIN chunks ON hash = embed_hash
        WHERE embedder = ? AND embeddings.id > ?`,
    )
    for (const { id, vector } of later.all(embedderId, seen.lastEmbedding)) {
      place(state, id, vector)
    }
  }
  const isShrunk = seen.nChunks + now.lastChunk - seen.lastChunk !== now.nChunks
  if (isShrunk) dropGone(state)
  state.seen = now
}

/** Copies an embedding into the block, because a blob may not be 4-byte aligned. */
function place(state: State, id: number, vector: Uint8Array): void {
  const { dims } = state
  state.pending.delete(id)
  if (state.rowOf.has(id)) return
  const row = state.ids.length
  if ((row + 1) * dims > state.block.length) reserve(state, 2 * row + 256)
  state.bytes.set(vector.subarray(0, dims * 4), row * dims * 4)
  state.ids.push(id)
  state.rowOf.set(id, row)
}

function reserve(state: State, nRows: number): void {
  if (nRows * state.dims <= state.block.length) return
  const larger = new Float32Array(nRows * state.dims)
  larger.set(state.block)
  state.block = larger
  state.bytes = new Uint8Array(larger.buffer)
}

function dropGone(state: State): void {
  const { dims } = state
  const select = state.database.query<{ id: number }, []>('SELECT id FROM chunks')
  const live = new Set(select.all().map(({ id }) => id))
  for (const id of state.pending) if (!live.has(id)) state.pending.delete(id)
  for (let row = state.ids.length - 1; row >= 0; row--) {
    const id = state.ids[row]!
    if (live.has(id)) continue
    const last = state.ids.length - 1
    state.block.copyWithin(row * dims, last * dims, (last + 1) * dims)
    state.ids[row] = state.ids[last]!
    state.rowOf.set(state.ids[row]!, row)
    state.ids.pop()
    state.rowOf.delete(id)
  }
}

async function embedSome(state: State, embedder: Embedder, ids: number[]): Promise<void> {
  const { database, embedderId } = state
  const select = database.query<{ embedded: string; hash: Uint8Array }, [number]>(
    'SELECT embedded, embed_hash AS hash FROM chunks WHERE id = ?',
  )
  const rows = ids.flatMap((id) => select.get(id) ?? [])
  const block = await embedder.embed(rows.map(({ embedded }) => embedded))
  const { dimensions } = embedder.fingerprint
  database
    .transaction(() => {
      const insert = 'INSERT OR IGNORE INTO embeddings (embedder, hash, vector) VALUES (?, ?, ?)'
      for (const [i, { hash }] of rows.entries()) {
        const vector = block.slice(i * dimensions, (i + 1) * dimensions)
        database.query(insert).run(embedderId, hash, new Uint8Array(vector.buffer))
      }
    })
    .immediate()
}

function dot(query: Float32Array, block: Float32Array, start: number): number {
  let sum = 0
  for (let i = 0; i < query.length; i++) sum += query[i]! * block[start + i]!
  return sum
}

type Search = {
  query: Float32Array
  limit: number
  allowed: Set<number> | null
  kernels: Kernels
  dims: number
}

function nearestRows(state: State, { query, limit, allowed, kernels, dims }: Search): NearChunk[] {
  const ids = allowed === null ? state.ids : state.ids.filter((id) => allowed.has(id))
  const block =
    allowed === null ? state.block.subarray(0, ids.length * dims) : gatherRows(state, ids, dims)
  const { rows, scores } = kernels.topk(query, block, { dims, k: Math.min(limit, ids.length) })
  return Array.from(rows, (row, i) => ({ id: ids[row]!, cosine: scores[i]! }))
}

function gatherRows(state: State, ids: number[], dims: number): Float32Array {
  const block = new Float32Array(ids.length * dims)
  for (const [i, id] of ids.entries()) {
    const start = state.rowOf.get(id)! * dims
    block.set(state.block.subarray(start, start + dims), i * dims)
  }
  return block
}
