import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Connection, Table } from '@lancedb/lancedb'
import { syncFolder, syncTree } from '../platform/files.ts'
import {
  createLockFile,
  lockExclusive,
  tryLockExclusive,
  tryLockShared,
  type Lock,
} from '../platform/lock.ts'
import type { ChunkBatch } from './chunk-copy.ts'
import { appendChunks, indexTerms, type ChunkRow, type Embeddings } from './chunk-table.ts'
import { lance, writing } from './lance.ts'
import { writePageIndex } from './page-index.ts'
import { appendPages, pageRows, type PageRow } from './page-table.ts'
import { readEntries } from './registry.ts'

/** A generation that is being written. Nobody sees it until the registry names its `id`. */
export type GenerationWriter = Disposable & {
  id: string
  appendPages(rows: PageRow[]): Promise<void>
  appendChunks(rows: ChunkRow[], embeddings: Embeddings | null): Promise<void>
  /** Appends rows of another generation's chunks as they are. */
  copyChunks(rows: ChunkBatch): Promise<void>
  /** Builds the indexes, and makes all of it outlast a power cut. Call once, last. */
  finish(): Promise<void>
  /** The pages written so far, in order, a batch at a time. */
  pages(): AsyncGenerator<PageRow[]>
}

const leaseName = 'lease'

/** Names what `finish` derives from pages and chunks; older generations are built anew by `add`. */
export const derivedVersion = 'pages-5'

/**
 * Starts a generation below `folder/generations`. Its writer holds the lease, so that no other
 * writer's sweep takes it for an orphan; after a crash the lease is free and the sweep may.
 */
export async function createGeneration(folder: string): Promise<GenerationWriter> {
  const id = `${Date.now().toString(36)}-${randomBytes(4).toString('hex')}`
  const path = join(folder, 'generations', id)
  const lease = await writing(folder, async () => {
    using _turn = await generationsLock(folder)
    await mkdir(path, { recursive: true })
    createLockFile(join(path, leaseName))
    return leaseGeneration(folder, id)
  })
  if (lease === null) throw new Error(`nobody else knows ${path}, and yet its lease is gone`)
  let database: Connection | null = null
  let pages: Table | null = null
  let chunks: Table | null = null
  const open = async () => (database ??= await (await lance()).connect(path))
  return {
    id,
    appendPages: (rows) =>
      writing(folder, async () => {
        pages = await appendPages(await open(), pages, rows)
      }),
    appendChunks: (rows, embeddings) =>
      writing(folder, async () => {
        chunks = await appendChunks({ database: await open(), table: chunks }, rows, embeddings)
      }),
    copyChunks: (rows) =>
      writing(folder, async () => {
        if (chunks === null) chunks = await (await open()).createTable('chunks', rows)
        else await chunks.add(rows)
      }),
    finish: () =>
      writing(folder, async () => {
        if (chunks !== null) await indexTerms(chunks)
        if (chunks !== null && pages !== null) await writePageIndex(path, { pages, chunks })
        await syncTables(path)
      }),
    async *pages() {
      if (pages !== null) yield* pageRows(pages)
    },
    [Symbol.dispose]() {
      pages?.close()
      chunks?.close()
      database?.close()
      lease[Symbol.dispose]()
    },
  }
}

/** Whether a generation's folder is there to be read. */
export function hasGeneration(folder: string, id: string): boolean {
  return existsSync(join(folder, 'generations', id, leaseName))
}

/**
 * Holds a generation open for reading: until disposed, no sweep deletes it. Null where it is gone,
 * which means that the registry has moved on and is to be read again.
 */
export function leaseGeneration(folder: string, id: string): Lock | null {
  return tryLockShared(join(folder, 'generations', id, leaseName))
}

/**
 * Deletes generations that no registry row names (as live or previous) and that nobody reads or
 * writes. What cannot be deleted stays for the next time. Returns the ids of what is gone.
 */
export async function sweep(folder: string): Promise<string[]> {
  const root = join(folder, 'generations')
  using _turn = await generationsLock(folder)
  // The folders first, then the registry: a generation published in between is then named by it.
  const found = (await foldersIn(root)).filter(isOurs)
  const entries = await readEntries(folder)
  const named = new Set(entries.flatMap((entry) => [entry.live.id, entry.previous?.id]))
  const swept: string[] = []
  for (const id of found) {
    // An orphan costs space and nothing else: it must not make a finished `add` fail.
    if (!named.has(id) && (await deleteUnused(root, id).catch(() => false))) swept.push(id)
  }
  return swept
}

/**
 * LanceDB leaves its files to the system's write-back, and the registry must not name what is not
 * yet on disk. Not the lease: closing any handle of it drops every lock of this process on it.
 */
async function syncTables(path: string): Promise<void> {
  for (const table of await foldersIn(path)) await syncTree(join(path, table))
  await syncFolder(path)
  await syncFolder(dirname(path))
}

async function foldersIn(root: string): Promise<string[]> {
  const found = await readdir(root, { withFileTypes: true }).catch(() => [])
  return found.filter((entry) => entry.isDirectory()).map((entry) => entry.name)
}

/** Between making a folder and leasing it, a sweep must not come by. */
function generationsLock(folder: string): Promise<Lock> {
  const what = `the generations of ${folder}`
  return lockExclusive(join(folder, 'locks', 'generations'), { timeoutMs: 60_000, what })
}

const trash = '.deleted-'

/** A folder that some user named as the store may hold a `generations` of another program. */
function isOurs(name: string): boolean {
  return name.startsWith(trash) || /^[0-9a-z]{8,9}-[0-9a-f]{8}$/.test(name)
}

async function deleteUnused(root: string, id: string): Promise<boolean> {
  if (!id.startsWith(trash)) {
    const lock = tryLockExclusive(join(root, id, leaseName))
    if (lock === null) return false
    // Renamed under the lock: a reader that comes later finds it gone, never half deleted.
    await rename(join(root, id), join(root, trash + id)).finally(() => lock[Symbol.dispose]())
  }
  await rm(join(root, id.startsWith(trash) ? id : trash + id), { recursive: true, force: true })
  return true
}
