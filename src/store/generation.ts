import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Connection, Table } from '@lancedb/lancedb'
import { syncFolder, syncTree } from '../platform/file/files.ts'
import { collectIfLarge, returnLargeBlocks } from '../platform/garbage.ts'
import { sizeOnDisk } from '../platform/file/space.ts'
import { createLockFile, tryLockExclusive, tryLockShared, type Lock } from '../platform/lock.ts'
import { trace } from '../platform/trace.ts'
import { chunkRows, type ChunkBatch } from './chunks/chunk-copy.ts'
import {
  buildFullTextIndex,
  type ChunkRow,
  type Embeddings,
  appendChunks,
} from './chunks/chunk-table.ts'
import { writeVectorIndex } from './chunks/vector-index.ts'
import { loadLance, withWriteErrors } from './lance.ts'
import { leaseName, writeManifest } from './integrity/manifest.ts'
import { readLicense, writeLicense } from './pages/license.ts'
import { writePageIndex } from './pages/page-index.ts'
import { appendPages, pageRows, type PageRow } from './pages/page-table.ts'
import { lockRegistry, readLocalEntries } from './registry.ts'
import { remoteBucketOf } from './remote-bucket.ts'
import { writeSearchFile } from './search-file/write-search-file.ts'
import { openRowSumsWriter } from './integrity/row-sums.ts'
import { trash, discard } from './remote/local-copies.ts'

/** A generation that is being written. Readers cannot see it until it is published. */
export type GenerationWriter = Disposable & {
  id: string
  appendPages(rows: PageRow[]): Promise<void>
  appendChunks(rows: ChunkRow[], embeddings: Embeddings | null): Promise<void>
  copyChunks(rows: ChunkBatch): Promise<void>
  keepLicense(text: string | null): Promise<void>
  license(): Promise<string | null>
  /**
   * Builds the indexes and syncs everything to disk. Call it once, as the last step. A generation
   * that `isPartial` is soon replaced by one with more embeddings, so it gets no search file and is
   * published earlier.
   */
  finish(options?: { isPartial: boolean }): Promise<void>
  pages(): AsyncGenerator<PageRow[]>
  chunkRows(): AsyncGenerator<ChunkRow[]>
}

/**
 * Creates a generation in `folder/generations`. The writer holds the lease so that other sweeps do
 * not delete the generation as an orphan. A crash releases the lease, and a sweep may then delete
 * the generation.
 */
export async function createGeneration(folder: string): Promise<GenerationWriter> {
  returnLargeBlocks()
  const id = `${Date.now().toString(36)}-${randomBytes(4).toString('hex')}`
  const path = join(folder, 'generations', id)
  const lease = await withWriteErrors(folder, async () => {
    using _turn = await lockRegistry(folder)
    await mkdir(path, { recursive: true })
    createLockFile(join(path, leaseName))
    return leaseGeneration(folder, id)
  })
  if (lease === null) throw new Error(`nobody else knows ${path}, and yet its lease is gone`)
  let database: Connection | null = null
  let pages: Table | null = null
  const open = async () => (database ??= await (await loadLance()).connect(path))
  const writer = openChunkWriter(open)
  const pageSums = openRowSumsWriter('pages')
  return {
    id,
    appendPages: (rows) =>
      withWriteErrors(folder, async () => {
        pages = await appendPages(await open(), pages, rows)
        pageSums.add(rows)
      }),
    appendChunks: (rows, embeddings) =>
      withWriteErrors(folder, () => writer.append(rows, embeddings)),
    copyChunks: (rows) => withWriteErrors(folder, () => writer.copy(rows)),
    keepLicense: (text) =>
      withWriteErrors(folder, async () => {
        if (text !== null) await writeLicense(path, text)
      }),
    license: () => readLicense(path),
    finish: ({ isPartial } = { isPartial: false }) =>
      withWriteErrors(folder, async () => {
        const chunks = await writer.whole()
        await writeDerivedFiles(path, { pages, chunks }, { isPartial })
        if (pages !== null) await pageSums.write(path, pages)
        await writer.writeSums(path)
        await writeManifest(path)
        await syncGeneration(path)
        trace('index generation', { id })
      }),
    async *pages() {
      if (pages !== null) yield* pageRows(pages)
    },
    async *chunkRows() {
      const chunks = await withWriteErrors(folder, () => writer.whole())
      if (chunks !== null) yield* chunkRows(chunks)
    },
    [Symbol.dispose]() {
      pages?.close()
      writer.close()
      database?.close()
      lease[Symbol.dispose]()
    },
  }
}

/** Building two indexes of a larger library at once would take too much memory. */
const fewRows = 20_000

async function writeDerivedFiles(
  path: string,
  { pages, chunks }: { pages: Table | null; chunks: Table | null },
  { isPartial }: { isPartial: boolean },
): Promise<void> {
  const writeIndexes = async () => {
    collectIfLarge()
    if (chunks !== null) await buildFullTextIndex(chunks)
    collectIfLarge()
    if (chunks !== null) await writeVectorIndex(path, chunks)
  }
  const writeOwnFiles = async () => {
    collectIfLarge()
    if (chunks !== null && pages !== null) await writePageIndex(path, { pages, chunks })
  }
  // LanceDB builds its indexes in its own threads.
  if (chunks !== null && (await chunks.countRows()) <= fewRows) {
    // If one fails, the other must not read tables that the caller closes.
    const done = await Promise.allSettled([writeIndexes(), writeOwnFiles()])
    for (const it of done) if (it.status === 'rejected') throw it.reason
  } else {
    await writeIndexes()
    await writeOwnFiles()
  }
  collectIfLarge()
  if (chunks === null || pages === null || isPartial) return
  await writeSearchFile(path, { pages, chunks })
}

/** True if a generation can be read. In a bucket, every generation in the registry can be read. */
export function hasGeneration(folder: string, id: string): boolean {
  return remoteBucketOf(folder) !== null || existsSync(join(folder, 'generations', id, leaseName))
}

/**
 * Keeps a generation readable: no sweep deletes it until the lease is disposed. Returns null if the
 * generation is missing, in which case the caller must read the registry again.
 */
export function leaseGeneration(folder: string, id: string): Lock | null {
  return tryLockShared(join(folder, 'generations', id, leaseName))
}

/**
 * Deletes generations that no registry row references (as live or previous) and that have no
 * readers or writers. A generation that cannot be deleted stays for the next sweep. Returns the ids
 * of the deleted generations.
 *
 * Selects and renames the generations under the registry lock. A writer publishes under the same
 * lock while it holds its lease, so every generation is either referenced or leased. Without the
 * lock, a sweep could delete a generation that was published after the rows were read.
 */
export async function sweepGenerations(folder: string): Promise<string[]> {
  const remote = remoteBucketOf(folder)
  await remote?.refresh()
  // A missing permission to delete must not fail the caller's finished work.
  await remote?.sweep().catch(() => [])
  const root = join(folder, 'generations')
  const swept = (await discardUnused(folder, root)).map(async (id) => {
    const path = join(root, id.startsWith(trash) ? id : trash + id)
    // An orphan only uses disk space, so it must not fail a finished `og add`.
    return rm(path, { recursive: true, force: true }).then(
      () => [id],
      () => [],
    )
  })
  return (await Promise.all(swept)).flat()
}

type Orphans = { free: { id: string; bytes: number }[]; inUse: number }

export async function findOrphans(folder: string): Promise<Orphans> {
  const root = join(folder, 'generations')
  const orphans: Orphans = { free: [], inUse: 0 }
  if ((await foldersIn(root)).length === 0) return orphans
  await remoteBucketOf(folder)?.refresh()
  using _turn = await lockRegistry(folder)
  for (const id of await unreferencedIn(folder, root)) {
    const isTrash = id.startsWith(trash)
    using lock = isTrash ? null : tryLockExclusive(join(root, id, leaseName))
    if (isTrash || lock !== null) orphans.free.push({ id, bytes: await sizeOnDisk(join(root, id)) })
    else orphans.inUse++
  }
  return orphans
}

/** Lists generations that no row references. Call it under the registry lock. */
async function unreferencedIn(folder: string, root: string): Promise<string[]> {
  const entries = await readLocalEntries(folder)
  const referenced = new Set(entries.flatMap((entry) => [entry.live.id, entry.previous?.id]))
  return (await foldersIn(root)).filter((name) => isOurs(name) && !referenced.has(name))
}

/**
 * Renames unused generations so that readers cannot find them.
 * @returns their ids, and the names of older trash
 */
async function discardUnused(folder: string, root: string): Promise<string[]> {
  if ((await foldersIn(root)).length === 0) return []
  using _turn = await lockRegistry(folder)
  const discards = (await unreferencedIn(folder, root)).map(async (id) => {
    const isDiscarded = id.startsWith(trash) || (await discard(root, id).catch(() => false))
    return isDiscarded ? [id] : []
  })
  return (await Promise.all(discards)).flat()
}

/**
 * Syncs a generation, because LanceDB does not sync its files and the registry must reference only
 * data on disk. Skips the lease because closing any handle to it releases all of this process's
 * locks on it.
 */
async function syncGeneration(path: string): Promise<void> {
  await syncTree(path, [leaseName])
  await syncFolder(dirname(path))
}

async function foldersIn(root: string): Promise<string[]> {
  const entries = await readdir(root, { withFileTypes: true }).catch(() => [])
  return entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name)
}

function isOurs(name: string): boolean {
  return name.startsWith(trash) || /^[0-9a-z]{8,9}-[0-9a-f]{8}$/.test(name)
}

type ChunkWriter = {
  append(rows: ChunkRow[], embeddings: Embeddings | null): Promise<void>
  copy(rows: ChunkBatch): Promise<void>
  whole(): Promise<Table | null>
  writeSums(folder: string): Promise<void>
  close(): void
}

/**
 * Pending rows become a fragment when they reach an eighth of the written rows, so fragments grow
 * with the table. LanceDB lists all fragments in each new version and keeps old versions. For a
 * million rows in batches of 512, these lists took 200 MB of disk and 1 GB of memory.
 */
const growth = 8
const mostPending = 8192

export function openChunkWriter(database: () => Promise<Connection>): ChunkWriter {
  let table: Table | null = null
  let nWritten = 0
  let pending: ChunkRow[] = []
  const blocks: Embeddings[] = []
  const sums = openRowSumsWriter('chunks')
  const flush = async () => {
    if (pending.length === 0) return
    const rows = pending.splice(0)
    const embeddings = joinBlocks(blocks.splice(0))
    table = await appendChunks({ database: await database(), table }, rows, embeddings)
    nWritten += rows.length
  }
  return {
    async append(rows, embeddings) {
      sums.add(rows)
      pending = pending.concat(rows)
      if (embeddings !== null) blocks.push(embeddings)
      if (pending.length >= Math.min(mostPending, nWritten / growth)) await flush()
    },
    async copy(rows) {
      for (const batch of rows.batches) sums.addBatch(batch)
      await flush()
      if (table === null) table = await (await database()).createTable('chunks', rows)
      else await table.add(rows)
      nWritten += rows.numRows
    },
    async whole() {
      await flush()
      return table
    },
    async writeSums(folder) {
      if (table !== null) await sums.write(folder, table)
    },
    close: () => table?.close(),
  }
}

function joinBlocks(blocks: Embeddings[]): Embeddings | null {
  if (blocks.length <= 1) return blocks[0] ?? null
  const { dimensions } = blocks[0]!
  const all = new Float32Array(blocks.reduce((sum, { block }) => sum + block.length, 0))
  let at = 0
  for (const { block } of blocks) {
    all.set(block, at)
    at += block.length
  }
  return { block: all, dimensions }
}
