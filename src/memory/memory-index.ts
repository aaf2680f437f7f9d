import type { Database } from 'bun:sqlite'
import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import { deleteDatabase, isDamage } from '../platform/sqlite.ts'
import { keyed, type KeyedChunk } from './chunk-text.ts'
import { defaultChunking, entryChunks, type EntryChunking } from './entry-chunks.ts'
import { parseEntries } from './entry.ts'
import { indexPath, openIndexDatabase } from './index-database.ts'

/**
 * The SQLite index of one workspace. Files are the truth: all rows are made from them, `path` is
 * relative with `/`, and each file is written in one transaction.
 */
export type MemoryIndex = Disposable & {
  /** Absolute, without symbolic links (weakness 31). */
  readonly folder: string
  readonly chunking: EntryChunking
  /** Texts of the entries of unchanged seeds: they are nobody's memory. */
  readonly seedTexts: ReadonlySet<string>
  database: Database
  /** Why the index is not on the disk; null where it is. */
  inMemoryBecause: string | null
}

/** `seeds`: the texts of files as a new workspace gets them; the folder exists. */
export function openMemoryIndex(
  folder: string,
  options: { seeds?: readonly string[]; chunking?: EntryChunking } = {},
): MemoryIndex {
  const path = realpathSync(folder)
  const seeds = (options.seeds ?? []).flatMap((text) => parseEntries(text))
  const index: MemoryIndex = {
    folder: path,
    chunking: options.chunking ?? defaultChunking,
    seedTexts: new Set(seeds.map(({ text }) => text)),
    ...openIndexDatabase(path),
    [Symbol.dispose]: () => index.database.close(),
  }
  return index
}

/** Runs `ask`; where the index turns out damaged it is made again, empty, and `ask` runs anew. */
export function healed<T>(index: MemoryIndex, ask: () => T): T {
  try {
    return ask()
  } catch (error) {
    if (!isDamage(error)) throw error
    index.database.close()
    deleteDatabase(join(index.folder, indexPath))
    Object.assign(index, openIndexDatabase(index.folder))
    return ask()
  }
}

export type FileText = {
  path: string
  /** Upstream's label of the tier: long_term, user, agents, relations, daily, or memory. */
  source: string
  text: string
  /** What the disk said of the file before it was read. */
  state: string
  hash: string
}

/**
 * Makes the rows of one file what its text says: entries that are new are added, those that are
 * gone removed, those that only moved keep their row, and so their embedding.
 */
export function writeFileRows(index: MemoryIndex, file: FileText): void {
  const { database } = index
  const { path, source, text } = file
  const chunks = indexable(index, { path, text })
  database.transaction(() => {
    const rows = database.query<KnownRow, [string]>(selectKnown).all(path)
    const known = Map.groupBy(rows, (row) => `${row.source} ${row.key}`)
    const added = chunks.filter((chunk) => {
      const row = known.get(`${source} ${chunk.key}`)?.shift()
      if (row !== undefined) move(database, row, chunk)
      return row === undefined
    })
    for (const { id } of [...known.values()].flat()) removeChunk(database, id)
    for (const chunk of added) insertChunk(database, chunk, { path, source })
    const newlines = text.split('\n').length - 1
    database
      .query('INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?, ?)')
      .run(path, source, file.state, file.hash, newlines)
  }).immediate()
}

export function removeFileRows(index: MemoryIndex, path: string): void {
  const { database } = index
  database.transaction(() => {
    const select = database.query<{ id: number }, [string]>('SELECT id FROM chunks WHERE path = ?')
    for (const { id } of select.all(path)) removeChunk(database, id)
    database.query('DELETE FROM files WHERE path = ?').run(path)
  }).immediate()
}

export type Appended = {
  path: string
  source: string
  /** What was added to the end of the file, byte for byte. */
  text: string
  /** `fileState` of the file before and after; before: null where there was none. */
  before: string | null
  after: string
}

/**
 * Adds what was appended, without reading the file. False where the index did not hold the file as
 * it was `before`: then the next sync reads it whole, and nothing has changed here.
 */
export function appendRows(index: MemoryIndex, appended: Appended): boolean {
  const { database } = index
  const { path, source, text, before, after } = appended
  return database.transaction(() => {
    const file = database
      .query<{ state: string; newlines: number }, [string]>(
        'SELECT state, newlines FROM files WHERE path = ?',
      )
      .get(path)
    if ((file?.state ?? null) !== before) return false
    const newlines = file?.newlines ?? 0
    for (const chunk of indexable(index, { path, text, firstLine: newlines + 1 })) {
      insertChunk(database, chunk, { path, source })
    }
    database
      .query('INSERT OR REPLACE INTO files VALUES (?, ?, ?, NULL, ?)')
      .run(path, source, after, newlines + text.split('\n').length - 1)
    return true
  }).immediate()
}

type KnownRow = {
  id: number
  source: string
  key: string
  start_line: number
  end_line: number
}
const selectKnown = 'SELECT id, source, key, start_line, end_line FROM chunks WHERE path = ?'

function indexable(
  index: MemoryIndex,
  file: { path: string; text: string; firstLine?: number },
): KeyedChunk[] {
  const chunks = entryChunks(file, index.chunking)
  return chunks.filter(({ text }) => !index.seedTexts.has(text)).map(keyed)
}

function move(database: Database, row: KnownRow, { startLine, endLine }: KeyedChunk): void {
  if (row.start_line === startLine && row.end_line === endLine) return
  database
    .query('UPDATE chunks SET start_line = ?, end_line = ? WHERE id = ?')
    .run(startLine, endLine, row.id)
}

function removeChunk(database: Database, id: number): void {
  database.query('DELETE FROM chunk_terms WHERE rowid = ?').run(id)
  database.query('DELETE FROM corrections WHERE chunk = ?').run(id)
  database.query('DELETE FROM chunks WHERE id = ?').run(id)
}

const insertRow = `INSERT INTO chunks (path, source, start_line, end_line, key, entry_id, part,
  heading, date, time, tags, text, embedded, embed_hash)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

function insertChunk(
  database: Database,
  chunk: KeyedChunk,
  { path, source }: { path: string; source: string },
): void {
  const { startLine, endLine, key, entryId, part, heading, date, time } = chunk
  const { text, embedded, embedHash } = chunk
  const tags = ` ${chunk.tags.join(' ')} `.toLowerCase()
  const row = [path, source, startLine, endLine, key, entryId, part, heading, date, time, tags]
  const { lastInsertRowid } = database.query(insertRow).run(...row, text, embedded, embedHash)
  database
    .query('INSERT INTO chunk_terms (rowid, heading, tags, body) VALUES (?, ?, ?, ?)')
    .run(lastInsertRowid, chunk.terms.heading, chunk.terms.tags, chunk.terms.body)
  for (const id of chunk.corrects) {
    database.query('INSERT INTO corrections VALUES (?, ?)').run(id, lastInsertRowid)
  }
}
