import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Table } from '@lancedb/lancedb'
import { OgError, messageOf } from '../../platform/error.ts'
import type { Lock } from '../../platform/lock.ts'
import type { EntryFile } from '../entry-file.ts'
import type { Entry } from '../registry.ts'
import { lacksTables } from './bucket-table.ts'
import type { GenerationOrigin } from './download.ts'

/** A bucket, as the store uses it: with a folder as its local copy. */
export type RemoteBucket = {
  /** For example `s3://bucket/prefix`. */
  place: string
  /**
   * `db://…` or `rest://…` if a service stores the tables, which are then never copied; else null.
   */
  tableHost: string | null
  /** The folder of the local copy. */
  folder: string
  /** Maximum size of the copied generations. */
  cacheBytes: number
  /**
   * Updates the local registry.json from the bucket if it is older than `registryAgeMs`; with
   * `now`, always.
   */
  refresh(when?: 'now'): Promise<void>
  /** True if the bucket cannot be reached, so that readers use the copy. */
  isDown(): boolean
  /** Uploads generations that are newly referenced, then replaces the registry of the bucket. */
  change(change: ChangeOfEntries): Promise<void>
  /**
   * Copies a generation into its folder; creates no folder if the bucket lacks the generation. If a
   * generation is larger than the cache, its tables stay in the bucket, unless `how` is `whole`.
   */
  fetchGeneration(id: string, how?: 'whole'): Promise<void>
  /**
   * Identifies the keys with which LanceDB reads the bucket; the value changes when keys are
   * renewed.
   */
  keys(): Promise<string>
  /** Opens a table that stayed in the bucket. */
  openTable(id: string, name: 'chunks' | 'pages'): Promise<Table>
  origin(id: string): GenerationOrigin
  /**
   * Returns the problem with a generation in the bucket, according to the names and sizes of its
   * objects; null if there is none.
   */
  fault(id: string): Promise<string | null>
  /** Size in bytes of every generation in the bucket; null if the bucket cannot be reached. */
  sizes(): Promise<ReadonlyMap<string, number> | null>
  /** Locks a library version against builders on other machines. */
  lock(name: string, request: RemoteLockRequest): Promise<Lock>
  /** Stores the notes of an update next to a generation. */
  writeNotes(id: string, text: string): Promise<void>
  /** Deletes generations that were replaced over an hour ago. @returns their ids */
  sweep(): Promise<string[]>
  /** Finds the remains of interrupted uploads, for `og gc`. With `isDry`, changes nothing. */
  orphans(options: { isDry: boolean }): Promise<RemoteOrphans>
  /** Rebuilds a lost or damaged registry (remake.ts). */
  remake(choose: (files: EntryFile[]) => Entry[]): Promise<RebuiltRegistry | null>
  /**
   * Returns a sentence that says that conditional writes work. @throws OgError if conditional
   * writes do not work
   */
  probe(): Promise<string>
  /** Resolves when all locks are released. */
  locksReleased(): Promise<void>
}

export type ChangeOfEntries = (entries: Entry[]) => Entry[] | Promise<Entry[]>

/**
 * `aside` is the name under which the damaged registry was saved. `unnamed` lists generations
 * without a readable row.
 */
export type RebuiltRegistry = { aside: string | null; entries: Entry[]; unnamed: string[] }

export type RemoteLockRequest = {
  timeoutMs: number
  what: string
  onWait: (() => void) | undefined
  signal: AbortSignal | undefined
}

/** `waiting` is the number of generations that will be deleted after an hour. */
export type RemoteOrphans = { ids: string[]; bytes: number; waiting: number }

/** Maximum age of the registry that readers use. */
export const registryAgeMs = 5_000

const remotes = new Map<string, RemoteBucket>()

/** Makes this process treat the folder as the local copy of a bucket. */
export function attachBucket(folder: string, remote: RemoteBucket): void {
  remotes.set(folder, remote)
}

/**
 * Returns the bucket if a generation is complete only there; null if the generation is local or
 * nowhere.
 */
export function bucketWithOnlyCopy(folder: string, id: string): RemoteBucket | null {
  const remote = remoteBucketOf(folder)
  const path = join(folder, 'generations', id)
  return remote === null || (existsSync(path) && !lacksTables(path)) ? null : remote
}

/** Returns null if the folder is the store itself. */
export function remoteBucketOf(folder: string): RemoteBucket | null {
  return remotes.get(folder) ?? null
}

/**
 * Returns the error of a failed read. The message has only the status, because the rest of a
 * response may repeat signed data.
 */
export function remoteReadError(
  bucket: Pick<RemoteBucket, 'place' | 'tableHost'>,
  { library, version }: Entry,
  cause: unknown,
): OgError {
  const place = bucket.tableHost ?? bucket.place
  const [status] = /\b[45]\d\d\b(?= [A-Z])|(?<=status: )[45]\d\d\b/.exec(messageOf(cause)) ?? []
  const why = status === undefined ? 'LanceDB cannot read it' : `it answers ${status}`
  const message = `Cannot read library "${library}" version "${version}" in ${place}: ${why}`
  return new OgError(message, { code: 'unreachable', hint: 'try again later' })
}
