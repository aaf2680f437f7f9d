import type * as Lance from '@lancedb/lancedb'
import { OgError } from '../platform/error.ts'
import { createTempFolder } from '../platform/file/files.ts'
import { setNativeVariable } from '../platform/native/variable.ts'
import { diskRefusal } from '../platform/file/space.ts'

/**
 * LanceDB, loaded when first needed: its addon takes tens of milliseconds, and what only reads
 * the registry goes without.
 */
export function lance(): Promise<typeof Lance> {
  return (loading ??= load())
}

let loading: Promise<typeof Lance> | null = null

/**
 * Each connection makes a spill folder in TMPDIR and leaves it behind, so TMPDIR is, for native
 * code alone, a folder that goes at exit. Where none can be made, LanceDB would panic.
 */
async function load(): Promise<typeof Lance> {
  const spill = await createTempFolder('og-lance')
  setNativeVariable('TMPDIR', spill.path)
  const variables = { ...indexBuilding, ...logging, ...reading }
  for (const [name, value] of Object.entries(variables)) setNativeVariable(name, value)
  return import('@lancedb/lancedb')
}

/**
 * How a full-text index is built: by so many workers, each of which writes its part out when it is
 * so large (MiB). LanceDB's own are one a core, and 256. Scores are the same, but each part is
 * asked for as many hits and has terms of its own in memory: a million chunks are one part, which
 * answers five times as fast as 29 in less than half the memory.
 */
const indexBuilding = { LANCE_FTS_NUM_SHARDS: '1', LANCE_FTS_PARTITION_SIZE: '512' }

/**
 * LanceDB reads 64 MB ahead of its caller; what is asked for at once may be more. Its own 2 GB mean
 * that all embeddings of a table are in memory together.
 */
const reading = { LANCE_DEFAULT_IO_BUFFER_SIZE: String(64 << 20) }

/**
 * Shared by all that is open for reading, since what LanceDB keeps of indexes and files it counts a
 * session. Its own limits, 6 GB and 1 GB, are more than a server may have here.
 */
const sessionBytes = { index: 384n << 20n, metadata: 96n << 20n }

let session: Promise<Lance.Session> | null = null

export function readingSession(): Promise<Lance.Session> {
  return (session ??= lance().then(({ Session }) =>
    new Session(sessionBytes.index, sessionBytes.metadata)))
}

/** Its warnings are for who writes it: of an index that a part of it is empty, and the like. */
const logging = { LANCEDB_LOG: 'error' }

/** Runs a write and says in one line what a full or read-only disk did to it: nothing. */
export async function writing<T>(folder: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write()
  } catch (error) {
    if (error instanceof OgError) throw error
    const refusal = diskRefusal(error, 'OG_DB_PATH')
    if (refusal === null) throw error
    const { why, hint } = refusal
    const message = `Cannot write store ${folder}: ${why}; nothing was changed`
    throw new OgError(message, { hint, cause: error })
  }
}
