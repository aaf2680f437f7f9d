import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Table } from '@lancedb/lancedb'
import type { Lock } from '../../platform/lock.ts'
import type { EntryFile } from '../entry-file.ts'
import type { Entry } from '../registry.ts'
import { isPart } from './part.ts'
import type { GenerationOrigin } from './receive.ts'

/** What the store asks of the bucket of which a folder is a copy. */
export type Remote = {
  /** As `s3://bucket/prefix`. */
  place: string
  /** `db://…`, `rest://…`, where a service keeps its tables, which are then never copied. */
  tableHost: string | null
  /** Its copy, on this machine. */
  folder: string
  /** What its generations may take. */
  cacheBytes: number
  /** Makes registry.json what the bucket had at most `remoteAgeMs` ago, or has now. */
  refresh(when?: 'now'): Promise<void>
  /** True while the bucket cannot be reached and readers go by the copy. */
  isDown(): boolean
  /** Replaces the registry of the bucket, after what it names anew is there too. */
  change(change: ChangeOfEntries): Promise<void>
  /**
   * Makes a generation's folder; where the bucket has none, there is none afterwards. Of one that
   * is larger than the cache the tables stay in the bucket, unless `how` says otherwise.
   */
  fetchGeneration(id: string, how?: 'whole'): Promise<void>
  /** Tells the keys with which LanceDB reads the bucket now from those before. */
  keys(): Promise<string>
  /** A table that stayed there. */
  openTable(id: string, name: 'chunks' | 'pages'): Promise<Table>
  origin(id: string): GenerationOrigin
  /** What is wrong with a generation in the bucket, as far as names and sizes tell. */
  fault(id: string): Promise<string | null>
  /** The bytes of every generation in the bucket; null if it cannot be reached. */
  sizes(): Promise<ReadonlyMap<string, number> | null>
  /** The right to write a library version, as far as builders of other machines go. */
  lock(name: string, request: RemoteLockRequest): Promise<Lock>
  /** Notes that an update keeps beside a generation. */
  writeNotes(id: string, text: string): Promise<void>
  /** Deletes generations that were replaced over an hour ago. @returns their ids */
  sweep(): Promise<string[]>
  /** What `og gc` finds: left by uploads that broke off. `isDry`: nothing is changed. */
  orphans(options: { isDry: boolean }): Promise<RemoteOrphans>
  /** Makes a lost or damaged registry anew (remake.ts). */
  remake(choose: (files: EntryFile[]) => Entry[]): Promise<Remade | null>
  /** Whether conditional writes hold; a sentence. @throws OgError where they do not */
  probe(): Promise<string>
  /** When locks are given back. */
  settled(): Promise<void>
}

export type ChangeOfEntries = (entries: Entry[]) => Entry[] | Promise<Entry[]>

/** `aside`: under which name what was damaged is kept; `unnamed`: generations that say nothing. */
export type Remade = { aside: string | null; entries: Entry[]; unnamed: string[] }

export type RemoteLockRequest = {
  timeoutMs: number
  what: string
  onWait: (() => void) | undefined
  signal: AbortSignal | undefined
}

/** `waiting`: what goes once an hour has passed. */
export type RemoteOrphans = { ids: string[]; bytes: number; waiting: number }

/** How old a registry may be that readers go by. */
export const remoteAgeMs = 5_000

const attached = new Map<string, Remote>()

/** From now on this process treats the folder as a copy. */
export function attachRemote(folder: string, remote: Remote): void {
  attached.set(folder, remote)
}

/** The bucket, where it alone holds all of this generation; null: it is here, or nowhere. */
export function remoteHolderOf(folder: string, id: string): Remote | null {
  const remote = remoteOf(folder)
  const path = join(folder, 'generations', id)
  return remote === null || (existsSync(path) && !isPart(path)) ? null : remote
}

/** null: the folder is the store itself. */
export function remoteOf(folder: string): Remote | null {
  return attached.get(folder) ?? null
}
