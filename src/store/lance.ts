import type * as Lance from '@lancedb/lancedb'
import { messageOf, OgError } from '../platform/error.ts'
import { createTempFolder } from '../platform/file/files.ts'
import { setNativeVariables, spillFolder } from '../platform/native/variables.ts'
import { explainDiskError } from '../platform/file/space.ts'
import { once } from '../platform/concurrency.ts'
import { ownLimits } from '../platform/system.ts'
import type { Table } from '@lancedb/lancedb'
import type { RecordBatch } from 'apache-arrow'

/**
 * Loads LanceDB on first use. Its addon takes tens of milliseconds, and commands that only read the
 * registry do not need it.
 */
export function loadLance(): Promise<typeof Lance> {
  return (loading ??= load())
}

let loading: Promise<typeof Lance> | null = null

/** LanceDB panics if the folder in TMPDIR does not exist. */
async function load(): Promise<typeof Lance> {
  refuseLowLimits()
  setNativeVariables()
  await createTempFolder(spillFolder.name, spillFolder.id)
  return import('@lancedb/lancedb').catch(cannotLoad)
}

/** With a smaller address space, LanceDB and its threads abort the process or deadlock. */
const leastAddressSpace = 4 * 2 ** 30
/** With fewer open files, LanceDB cannot start its threads and aborts the process. */
const leastOpenFiles = 64

function refuseLowLimits(): void {
  const { addressSpace, openFiles } = ownLimits()
  if (openFiles < leastOpenFiles) {
    const limit = `this process may open ${openFiles} files`
    throw new OgError(`Cannot load LanceDB: ${limit}, it needs ${leastOpenFiles}`, {
      hint: 'raise "ulimit -n" (LimitNOFILE); 1024 is usual',
    })
  }
  if (addressSpace >= leastAddressSpace) return
  const limit = `the address space is limited to ${(addressSpace / 2 ** 30).toFixed(1)} GiB`
  throw new OgError(`Cannot load LanceDB: ${limit}, it needs 4 GiB`, {
    hint: 'raise "ulimit -v" (LimitAS) or remove it; limit memory by a cgroup (MemoryMax) instead',
  })
}

/** LanceDB's message suggests problems with npm; the innermost cause has the real reason. */
function cannotLoad(error: unknown): never {
  let cause = error
  while (cause instanceof Error && cause.cause !== undefined) cause = cause.cause
  throw new OgError(`Cannot load LanceDB: ${messageOf(cause)}`, {
    hint: 'the cache folder may be mounted noexec: set OG_CACHE_DIR to another one; see og doctor',
    cause: error,
  })
}

/**
 * All readers share one session because LanceDB caches indexes and files per session. LanceDB's
 * default limits, 6 GB and 1 GB, are too large for a server.
 */
const sessionBytes = { index: 384n << 20n, metadata: 96n << 20n }

let session: Promise<Lance.Session> | null = null

export function readingSession(): Promise<Lance.Session> {
  return (session ??= loadLance().then(
    ({ Session }) => new Session(sessionBytes.index, sessionBytes.metadata),
  ))
}

/**
 * Returns a function that connects to a folder of tables on its first call. All tables of a folder
 * share one connection because each connection creates a temporary folder.
 */
export function connectOnce(folder: string): () => Promise<Lance.Connection> {
  return once(async () => (await loadLance()).connect(folder, { session: await readingSession() }))
}

/**
 * Runs a write. Describes the error of a full or read-only disk in one line. Such an error leaves
 * the published versions unchanged, except for a version that this run has already published for
 * full-text search.
 */
export async function withWriteErrors<T>(folder: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write()
  } catch (error) {
    if (error instanceof OgError) throw error
    const refusal = explainDiskError(error, 'OG_DB_PATH')
    if (refusal === null) throw error
    const { why, hint } = refusal
    const message = `Cannot write store ${folder}: ${why}; published versions are unharmed`
    throw new OgError(message, { hint, cause: error })
  }
}

/** Builds a filter with SQL quoting. Only this file builds filter strings. */
export function isIn(column: string, values: readonly string[]): string {
  return values.length === 0 ? 'false' : `${column} IN (${values.map(quote).join(', ')})`
}

export function isNotIn(column: string, values: readonly string[]): string {
  return values.length === 0 ? 'true' : `NOT (${isIn(column, values)})`
}

export function contains(column: string, value: string): string {
  return `strpos(${column}, ${quote(value)}) > 0`
}

function quote(value: string): string {
  // LanceDB's dialect has no backslash escapes: a quote is doubled, and no other character is
  // special.
  return `'${value.replaceAll("'", "''")}'`
}

/** Returns a batch's `vector` column without copying it: row-major, rows × dimensions. */
export function embeddingsOf(batch: RecordBatch, dimensions: number): Float32Array {
  const column = batch.getChild('vector')!.data[0]!
  const values = column.children[0]!.values as Float32Array
  const from = column.offset * dimensions
  return values.subarray(from, from + batch.numRows * dimensions)
}

/** True if a row has only zeros because its chunk has no embedding yet. */
export function isZero(embedding: Float32Array): boolean {
  return embedding.every((value) => value === 0)
}

export async function dimensionsOf(table: Table): Promise<number | null> {
  const vector = (await table.schema()).fields.find(({ name }) => name === 'vector')
  return vector === undefined ? null : (vector.type as { listSize: number }).listSize
}
