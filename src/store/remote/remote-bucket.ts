import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Table } from '@lancedb/lancedb'
import { OgError, messageOf } from '../../platform/error.ts'
import type { Lock } from '../../platform/lock.ts'
import type { EntryFile } from '../entry-file.ts'
import type { Entry } from '../registry.ts'
import { lacksTables } from './bucket-table.ts'
import type { GenerationOrigin } from './download.ts'

/** A bucket whose local copy is a folder, as the store uses it. */
export type RemoteBucket = {
  /** For example `s3://bucket/prefix`. */
  place: string
  /**
   * `db://…` or `rest://…` if a service keeps the tables, which are then never copied; otherwise
   * null.
   */
  tableHost: string | null
  /** The local copy. */
  folder: string
  /** Maximum size of the copied generations. */
  cacheBytes: number
  /**
   * Updates the local registry.json from the bucket if it is older than `registryAgeMs`; `now`
   * always updates it.
   */
  refresh(when?: 'now'): Promise<void>
  /** True while the bucket cannot be reached and readers use the copy. */
  isDown(): boolean
  /**
   * Replaces the registry of the bucket after uploading the generations that it newly references.
   */
  change(change: ChangeOfEntries): Promise<void>
  /**
   * Copies a generation into its folder; creates none if the bucket does not have it. The tables of
   * a generation larger than the cache stay in the bucket, unless `how` is `whole`.
   */
  fetchGeneration(id: string, how?: 'whole'): Promise<void>
  /** Identifies the keys with which LanceDB reads the bucket; changes when they are renewed. */
  keys(): Promise<string>
  /** Opens a table that stayed in the bucket. */
  openTable(id: string, name: 'chunks' | 'pages'): Promise<Table>
  origin(id: string): GenerationOrigin
  /**
   * Returns the problem with a generation in the bucket, by the names and sizes of its objects;
   * null if there is none.
   */
  fault(id: string): Promise<string | null>
  /** Size in bytes of every generation in the bucket; null if it cannot be reached. */
  sizes(): Promise<ReadonlyMap<string, number> | null>
  /** Locks a library version against builders on other machines. */
  lock(name: string, request: RemoteLockRequest): Promise<Lock>
  /** Writes an update's notes next to a generation. */
  writeNotes(id: string, text: string): Promise<void>
  /** Deletes generations that were replaced over an hour ago. @returns their ids */
  sweep(): Promise<string[]>
  /** Finds what interrupted uploads left, for `og gc`. `isDry`: changes nothing. */
  orphans(options: { isDry: boolean }): Promise<RemoteOrphans>
  /** Rebuilds a lost or damaged registry (remake.ts). */
  remake(choose: (files: EntryFile[]) => Entry[]): Promise<RebuiltRegistry | null>
  /** Describes in a sentence that conditional writes work. @throws OgError if they do not */
  probe(): Promise<string>
  /** Resolves once all locks are released. */
  locksReleased(): Promise<void>
}

export type ChangeOfEntries = (entries: Entry[]) => Entry[] | Promise<Entry[]>

/**
 * `aside`: the name under which the damaged registry was saved. `unnamed`: generations without a
 * readable row.
 */
export type RebuiltRegistry = { aside: string | null; entries: Entry[]; unnamed: string[] }

export type RemoteLockRequest = {
  timeoutMs: number
  what: string
  onWait: (() => void) | undefined
  signal: AbortSignal | undefined
}

/** `waiting`: generations to be deleted once an hour has passed. */
export type RemoteOrphans = { ids: string[]; bytes: number; waiting: number }

/** Maximum age of the registry that readers use. */
export const registryAgeMs = 5_000

const remotes = new Map<string, RemoteBucket>()

/** Makes this process treat the folder as the copy of a bucket. */
export function attachBucket(folder: string, remote: RemoteBucket): void {
  remotes.set(folder, remote)
}

/**
 * Returns the bucket if only it contains this whole generation; null if the generation is local or
 * nowhere.
 */
export function bucketWithOnlyCopy(folder: string, id: string): RemoteBucket | null {
  const remote = remoteBucketOf(folder)
  const path = join(folder, 'generations', id)
  return remote === null || (existsSync(path) && !lacksTables(path)) ? null : remote
}

/** Null if the folder is the store itself. */
export function remoteBucketOf(folder: string): RemoteBucket | null {
  return remotes.get(folder) ?? null
}

/**
 * The error of a failed read. Reports only the status, because the rest of an answer may repeat
 * signed data.
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
