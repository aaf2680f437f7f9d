import type { Database } from 'bun:sqlite'
import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import { messageOf } from '../../platform/error.ts'
import { deleteDatabase, isDamage, isRefusedByDisk } from '../../platform/sqlite.ts'
import { defaultChunking, entryChunks, type EntryChunking } from './entry-chunks.ts'
import { indexPath, openIndexDatabase, openInMemory } from './index-database.ts'

/**
 * The SQLite index of one workspace. All rows are derived from the files; their `path` is relative
 * with `/`, and each file is written in one transaction.
 */
export type MemoryIndex = Disposable & {
  /** Absolute path without symbolic links (weakness 31). */
  readonly folder: string
  readonly chunking: EntryChunking
  /** The texts of unchanged seed entries, which are not indexed. */
  readonly seedTexts: ReadonlySet<string>
  database: Database
  /** Why the index is only in memory; null if it is on disk. */
  inMemoryBecause: string | null
}

/** Opens the index of an existing folder. `seeds` are the files of a new workspace by name. */
export function openMemoryIndex(
  folder: string,
  options: { seeds?: Readonly<Record<string, string>>; chunking?: EntryChunking } = {},
): MemoryIndex {
  const path = realpathSync(folder)
  const chunking = options.chunking ?? defaultChunking
  const seeds = Object.entries(options.seeds ?? {}).flatMap(([path, text]) =>
    entryChunks({ path, text }, chunking),
  )
  const index: MemoryIndex = {
    folder: path,
    chunking,
    seedTexts: new Set(seeds.map(({ text }) => text)),
    ...openIndexDatabase(path),
    [Symbol.dispose]: () => index.database.close(),
  }
  return index
}

/**
 * Runs `ask`, and again if the index fails: a damaged one is emptied first, and one that the disk
 * refuses is moved into memory.
 */
export function retryIfDamaged<T>(index: MemoryIndex, ask: () => T): T {
  try {
    return ask()
  } catch (error) {
    if (isDamage(error)) emptyIndex(index)
    else if (isRefusedByDisk(error) && index.inMemoryBecause === null) leaveDisk(index, error)
    else throw error
    return ask()
  }
}

function leaveDisk(index: MemoryIndex, error: unknown): void {
  index.database.close()
  Object.assign(index, openInMemory(index.folder, messageOf(error)))
}

/** Recreates the database; the next sync fills it. */
export function emptyIndex(index: MemoryIndex): void {
  index.database.close()
  deleteDatabase(join(index.folder, indexPath))
  Object.assign(index, openIndexDatabase(index.folder))
}
