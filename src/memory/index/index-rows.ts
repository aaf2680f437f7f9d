import type { Database } from 'bun:sqlite'
import { isMark } from '../entry.ts'
import { bodyHash, entryChunks, type EntryChunk } from './entry-chunks.ts'
import type { MemoryIndex } from './memory-index.ts'
import { indexTermsOf } from '../../chunk/terms.ts'
import { sha256 } from '../../platform/hash.ts'

type FileText = {
  path: string
  /** Upstream's label of the tier: long_term, user, agents, relations, daily, or memory. */
  source: string
  text: string
  state: string
  hash: string
}

/**
 * Updates the rows of a file to match its text: adds new entries and removes missing ones. An entry
 * that only moved keeps its row and embedding.
 */
export function writeFileRows(index: MemoryIndex, file: FileText): void {
  const { database } = index
  const { path, source, text } = file
  const chunks = indexable(index, { path, text })
  database
    .transaction(() => {
      const rows = database.query<KnownRow, [string]>(selectKnown).all(path)
      const byKey = Map.groupBy(rows, (row) => `${row.source} ${row.key}`)
      const added = chunks.filter((chunk) => {
        const row = byKey.get(`${source} ${chunk.key}`)?.shift()
        if (row !== undefined) move(database, row, chunk)
        return row === undefined
      })
      for (const { id } of [...byKey.values()].flat()) removeChunk(database, id)
      for (const chunk of added) insertChunk(database, chunk, { path, source })
      const newlines = text.split('\n').length - 1
      database
        .query('INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?, ?)')
        .run(path, source, file.state, file.hash, newlines)
    })
    .immediate()
}

export function removeFileRows({ database }: MemoryIndex, path: string): void {
  database
    .transaction(() => {
      const select = database.query<{ id: number }, [string]>(
        'SELECT id FROM chunks WHERE path = ?',
      )
      for (const { id } of select.all(path)) removeChunk(database, id)
      database.query('DELETE FROM files WHERE path = ?').run(path)
    })
    .immediate()
}

type Appended = {
  path: string
  source: string
  text: string
  /** The `fileState` before and after the append; `before` is null for a new file. */
  before: string | null
  after: string
}

/**
 * Adds rows for appended text without reading the file. If the index does not match the state
 * `before`, returns false and changes nothing; the next sync then reads the whole file.
 */
export function appendRows(index: MemoryIndex, appended: Appended): boolean {
  const { database } = index
  const { path, source, text, before, after } = appended
  return database
    .transaction(() => {
      const file = database
        .query<{ state: string; newlines: number }, [string]>(
          'SELECT state, newlines FROM files WHERE path = ?',
        )
        .get(path)
      // The caller holds the write lock, so no og process has changed the file since. If an editor
      // changed it within the same clock tick, the next sync reads it.
      const indexed = file?.state.replace(unsettledPrefix, '') ?? null
      if (indexed !== before) return false
      const isUnsettled = file?.state.startsWith(unsettledPrefix) === true
      const newlines = file?.newlines ?? 0
      const nLines = text.split('\n').length - 1
      for (const chunk of indexable(index, { path, text, firstLine: newlines + 1 })) {
        insertChunk(database, chunk, { path, source })
      }
      database
        .query('INSERT OR REPLACE INTO files VALUES (?, ?, ?, NULL, ?)')
        .run(path, source, isUnsettled ? unsettledPrefix + after : after, newlines + nLines)
      return true
    })
    .immediate()
}

export function countOutdatedRows(
  index: MemoryIndex,
  file: { path: string; text: string },
): number {
  const rows = index.database.query<KnownRow, [string]>(selectKnown).all(file.path)
  const indexed = new Set(
    rows.map((row) => `${row.key} ${row.entry_id} ${row.start_line} ${row.end_line}`),
  )
  const inFile = new Set(
    indexable(index, file).map(
      (chunk) => `${chunk.key} ${chunk.entryId} ${chunk.startLine} ${chunk.endLine}`,
    ),
  )
  return indexed.symmetricDifference(inFile).size
}

/** True if a file contains an uncorrected entry with exactly this body. */
export function hasEntryBody({ database }: MemoryIndex, path: string, body: string): boolean {
  const select = `SELECT 1 FROM chunks WHERE body_hash = ? AND path = ?
    AND entry_id NOT IN (SELECT corrected FROM corrections) LIMIT 1`
  return database.query(select).get(bodyHash(body), path) !== null
}

type KnownRow = {
  id: number
  source: string
  key: string
  entry_id: string
  start_line: number
  end_line: number
}
const selectKnown =
  'SELECT id, source, key, entry_id, start_line, end_line FROM chunks WHERE path = ?'

function indexable(
  index: MemoryIndex,
  file: { path: string; text: string; firstLine?: number },
): KeyedChunk[] {
  const chunks = entryChunks(file, index.chunking)
  return chunks.filter(({ text }) => !index.seedTexts.has(text)).map(toKeyedChunk)
}

/** Updates the lines and entry id of a row. Editing an entry changes the id of all its parts. */
function move(database: Database, row: KnownRow, chunk: KeyedChunk): void {
  const { entryId, startLine, endLine } = chunk
  const isThere = row.start_line === startLine && row.end_line === endLine
  if (isThere && row.entry_id === entryId) return
  database
    .query('UPDATE chunks SET entry_id = ?, start_line = ?, end_line = ? WHERE id = ?')
    .run(entryId, startLine, endLine, row.id)
}

function removeChunk(database: Database, id: number): void {
  database.query('DELETE FROM chunk_terms WHERE rowid = ?').run(id)
  database.query('DELETE FROM corrections WHERE chunk = ?').run(id)
  database.query('DELETE FROM chunks WHERE id = ?').run(id)
}

const insertRow = `INSERT INTO chunks (path, source, start_line, end_line, key, entry_id, part,
  heading, date, time, tags, body_hash, text, embedded, embed_hash, valid_from, valid_until)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

function insertChunk(
  database: Database,
  chunk: KeyedChunk,
  { path, source }: { path: string; source: string },
): void {
  const { startLine, endLine, key, entryId, part, heading, date, time } = chunk
  const { bodyHash, text, embedded, embedHash } = chunk
  const tags = ` ${chunk.tags.join(' ')} `.toLowerCase()
  const place = [path, source, startLine, endLine, key, entryId, part]
  const content = [heading, date, time, tags, bodyHash, text, embedded, embedHash]
  const validity = [chunk.validFrom, chunk.validUntil]
  const { lastInsertRowid } = database.query(insertRow).run(...place, ...content, ...validity)
  database
    .query('INSERT INTO chunk_terms (rowid, heading, tags, body) VALUES (?, ?, ?, ?)')
    .run(lastInsertRowid, chunk.terms.heading, chunk.terms.tags, chunk.terms.body)
  for (const id of chunk.corrects) {
    const isSupersession = chunk.supersedes.includes(id) ? 1 : 0
    database
      .query('INSERT INTO corrections VALUES (?, ?, ?)')
      .run(id, lastInsertRowid, isSupersession)
  }
}

type KeyedChunk = EntryChunk & {
  /** A hash of everything except ids and lines, so that it survives a move. */
  key: string
  embedded: string
  embedHash: Uint8Array
  terms: { heading: string; tags: string; body: string }
}

export function toKeyedChunk(chunk: EntryChunk): KeyedChunk {
  const { heading, date, time, tags, corrects, part, text, validFrom, validUntil } = chunk
  const body = spokenText(chunk)
  const embedded = [isOnlyTime(heading) ? '' : heading, tags.join(' '), body]
    .filter((line) => line !== '')
    .join('\n')
  return {
    ...chunk,
    key: sha256(
      JSON.stringify([heading, date, time, tags, corrects, part, text, validFrom, validUntil]),
    ).slice(0, 32),
    embedded,
    embedHash: new Bun.CryptoHasher('sha256').update(embedded).digest(),
    terms: {
      heading: indexTermsOf(`${date ?? ''} ${heading}`).join(' '),
      tags: indexTermsOf(tags.join(' ')).join(' '),
      body: indexTermsOf(body).join(' '),
    },
  }
}

/** Matches a relation, such as `- [Ann] --works at--> [Acme] (2026-01-02) - "since May"`. */
const relation = new RegExp(
  String.raw`^\s*-\s+\[([^\]]+)\]\s+--([^->]+)-->\s+\[([^\]]+)\]` +
    String.raw`\s*(?:\([\d-]+\))?\s*(?:[-–—]\s*)?`,
)

/**
 * Returns the searchable text without heading, tag line or marks. Renders a relation as a sentence.
 */
function spokenText({ text, heading, tags }: EntryChunk): string {
  const triple = relation.exec(text)
  if (triple !== null) {
    const [whole, subject, predicate, object] = triple
    return `${subject} ${predicate!.trim()} ${object}. ${text.slice(whole.length)}`.trim()
  }
  const lines = text.split('\n')
  if (/^ {0,3}#{2,6}[ \t]/.test(lines[0]!) && lines[0]!.includes(heading)) lines.shift()
  const first = lines.findIndex((line) => line.trim() !== '')
  if (tags.length > 0 && lines[first]?.startsWith('#')) lines.splice(first, 1)
  return lines
    .filter((line) => !isMark(line))
    .join('\n')
    .trim()
}

/** True if a heading is only a date or time, which `append` writes by default. */
function isOnlyTime(heading: string): boolean {
  return /^(?:\d{4}-\d\d-\d\d)?\s*(?:\d\d:\d\d)?$/.test(heading)
}

/** Returns a string of size, modification time and inode, which changes with almost every write. */
export function fileState(stats: { size: number; mtimeMs: number; ino: number }): string {
  return `${stats.size} ${stats.mtimeMs} ${stats.ino}`
}

/**
 * Prefix of a state that was read within one clock tick after a change. A second change in the same
 * tick might not alter the state.
 */
export const unsettledPrefix = 'unsettled '
