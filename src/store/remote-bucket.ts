import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Table } from '@lancedb/lancedb'
import type { Lock } from '../platform/lock.ts'
import type { EntryFile } from './entry-file.ts'
import type { Entry } from './registry.ts'
import { lacksTables } from './integrity/manifest.ts'

export type RemoteBucket = {
  place: string
  folder: string
  cacheBytes: number
  /** Updates the local registry.json if it is older than `registryAgeMs`, or always with `now`. */
  refresh(when?: 'now'): Promise<void>
  /** True if the bucket is unreachable and readers use the copy. */
  isDown(): boolean
  change(change: ChangeOfEntries): Promise<void>
  /**
   * Copies a generation into its folder. Creates no folder if the bucket lacks the generation. If
   * the generation exceeds the cache, its tables stay in the bucket unless `how` is `whole`.
   */
  fetchGeneration(id: string, how?: 'whole'): Promise<void>
  /** Identifies the keys with which LanceDB reads the bucket. Changes when they are renewed. */
  keys(): Promise<string>
  openTable(id: string, name: 'chunks' | 'pages'): Promise<Table>
  origin(id: string): GenerationOrigin
  fault(id: string): Promise<string | null>
  /** Size of every generation in the bucket in bytes, or null if the bucket is unreachable. */
  sizes(): Promise<ReadonlyMap<string, number> | null>
  /** Locks a library version against builders on other machines. */
  lock(name: string, request: RemoteLockRequest): Promise<Lock>
  writeNotes(id: string, text: string): Promise<void>
  sweep(): Promise<string[]>
  /** Finds the remains of interrupted uploads for `og gc`. `isDry` changes nothing. */
  orphans(options: { isDry: boolean }): Promise<RemoteOrphans>
  remake(choose: (files: EntryFile[]) => Entry[]): Promise<RebuiltRegistry | null>
  probe(): Promise<string>
  locksReleased(): Promise<void>
}

export type ChangeOfEntries = (entries: Entry[]) => Entry[] | Promise<Entry[]>

/** `aside` is where the damaged registry was saved. `unnamed` generations have no valid row. */
export type RebuiltRegistry = { aside: string | null; entries: Entry[]; unnamed: string[] }

export type RemoteLockRequest = {
  timeoutMs: number
  what: string
  onWait: (() => void) | undefined
  signal: AbortSignal | undefined
}

export type RemoteOrphans = { ids: string[]; bytes: number; waiting: number }

const remotes = new Map<string, RemoteBucket>()

/** Makes this process treat the folder as the local copy of a bucket. */
export function attachBucket(folder: string, remote: RemoteBucket): void {
  remotes.set(folder, remote)
}

/** Returns the bucket if it has the only complete copy of a generation. */
export function bucketWithOnlyCopy(folder: string, id: string): RemoteBucket | null {
  const remote = remoteBucketOf(folder)
  const path = join(folder, 'generations', id)
  return remote === null || (existsSync(path) && !lacksTables(path)) ? null : remote
}

export function remoteBucketOf(folder: string): RemoteBucket | null {
  return remotes.get(folder) ?? null
}

export type GenerationOrigin = {
  place: string
  /** Writes a generation's file to a new path. @returns false if the file does not exist */
  file(name: string, into: string): Promise<boolean>
}
