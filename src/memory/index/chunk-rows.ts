import type { EntryChunk } from './entry-chunks.ts'
import type { MemoryIndex } from './memory-index.ts'

/** An indexed chunk. Lines are 1-based and inclusive. `path` is relative and uses `/`. */
export type MemoryChunk = Omit<EntryChunk, 'part' | 'bodyHash' | 'corrects' | 'supersedes'> & {
  id: number
  path: string
  source: string
  /** The hash of the embedded text, which is equal for equal texts; empty if there is no text. */
  saidHash: string
}

/** A chunk must meet all conditions. Tags ignore case. Days are YYYY-MM-DD and inclusive. */
export type RecallFilter = {
  /** Upstream's labels: long_term, user, agents, relations, daily, memory. */
  sources?: readonly string[]
  path?: string
  allTags?: readonly string[]
  anyTags?: readonly string[]
  /** The first and last day. Entries without a date do not match. */
  since?: string
  until?: string
  /**
   * Selects entries that were valid on this day. An entry without a first day of validity is valid
   * from its date.
   */
  validOn?: string
}

/** Returns the ids of the chunks that match the filter; null if the filter has no conditions. */
export function filteredIds({ database }: MemoryIndex, filter: RecallFilter): Set<number> | null {
  const where = filterSql(filter)
  if (where === null) return null
  const select = `SELECT id FROM chunks WHERE ${where.sql}`
  const rows = database.query<{ id: number }, string[]>(select).all(...where.values)
  return new Set(rows.map(({ id }) => id))
}

export function filterSql(filter: RecallFilter): { sql: string; values: string[] } | null {
  const { sources = [], path, allTags = [], anyTags = [], since, until, validOn } = filter
  const parts: [string, readonly string[]][] = []
  if (sources.length > 0) parts.push([`source IN (${sources.map(() => '?').join(', ')})`, sources])
  if (path !== undefined) parts.push(['path = ?', [path]])
  const tag = 'instr(tags, ?) > 0'
  for (const name of allTags) parts.push([tag, [tagPattern(name)]])
  if (anyTags.length > 0) {
    parts.push([`(${anyTags.map(() => tag).join(' OR ')})`, anyTags.map(tagPattern)])
  }
  if (since !== undefined) parts.push(['date >= ?', [since]])
  if (until !== undefined) parts.push(['date <= ?', [until]])
  if (validOn !== undefined) {
    const valid = `coalesce(valid_from, date, '') <= ? AND coalesce(valid_until, '~') > ?`
    parts.push([valid, [validOn, validOn]])
  }
  if (parts.length === 0) return null
  return {
    sql: parts.map(([sql]) => sql).join(' AND '),
    values: parts.flatMap(([, values]) => [...values]),
  }
}

export function rowsById({ database }: MemoryIndex, ids: number[]): Map<number, MemoryChunk> {
  const select = `SELECT ${columns} FROM chunks WHERE id IN (SELECT value FROM json_each(?))`
  const rows = database.query<StoredRow, [string]>(select).all(JSON.stringify(ids))
  return new Map(rows.map((row) => [row.id, chunkRow(row)]))
}

/**
 * Returns the neighbours of each chunk: adjacent chunks of the same file and day that were written
 * within an hour. Entries without a time have no neighbours, because their order in the file does
 * not prove that they belong together.
 */
export function neighboursOf(
  { database }: MemoryIndex,
  ids: readonly number[],
): Map<number, { before: number[]; after: number[] }> {
  // A separate statement for each chunk would cost more than its index lookup.
  const beside = (side: string) => `SELECT * FROM (SELECT id FROM chunks
    WHERE path = own.path AND start_line ${side} LIMIT 2)`
  const pairs = database.query<Pair, [string]>(
    `SELECT own.id AS own, other.id, own.time AS ownTime, other.time,
        other.start_line > own.start_line AS isAfter
      FROM json_each(?) JOIN chunks AS own ON own.id = value
      JOIN chunks AS other ON other.id IN (
        ${beside('< own.start_line ORDER BY start_line DESC')}
        UNION ALL ${beside('> own.start_line ORDER BY start_line')})
      WHERE own.time IS NOT NULL AND other.time IS NOT NULL AND other.date IS own.date
      ORDER BY abs(other.start_line - own.start_line)`,
  )
  const found = new Map<number, { before: number[]; after: number[] }>()
  for (const { own, id, ownTime, time, isAfter } of pairs.all(JSON.stringify(ids))) {
    if (Math.abs(minutesOf(ownTime) - minutesOf(time)) > 60) continue
    const sides = found.getOrInsertComputed(own, () => ({ before: [], after: [] }))
    sides[isAfter ? 'after' : 'before'].push(id)
  }
  return found
}

type Pair = { own: number; id: number; ownTime: string; time: string; isAfter: number }

function minutesOf(time: string): number {
  return Number(time.slice(0, 2)) * 60 + Number(time.slice(3))
}

export function invalidIds({ database }: MemoryIndex, day: string): Set<number> {
  const select = `SELECT id FROM chunks WHERE (valid_until IS NOT NULL OR valid_from IS NOT NULL)
    AND (valid_until <= ?1 OR valid_from > ?1)`
  return new Set(
    database
      .query<{ id: number }, [string]>(select)
      .all(day)
      .map(({ id }) => id),
  )
}

/**
 * Returns the newest correction of each entry, and whether it only retires the entry. Ignores a
 * superseding entry that is not yet valid on `day`.
 */
export function findCorrections(
  { database }: MemoryIndex,
  entryIds: string[],
  day: string,
): Map<string, { row: MemoryChunk; isRetirement: boolean }> {
  const qualified = columns.replace(/\w+/, 'chunks.$&')
  const select = `SELECT corrected, embedded = '' AS isRetirement, ${qualified} FROM corrections
    JOIN chunks ON chunks.id = chunk WHERE corrected IN (SELECT value FROM json_each(?1))
    AND (is_supersession = 0 OR coalesce(valid_from, date, '') <= ?2) ORDER BY chunk`
  const rows = database
    .query<StoredRow & { corrected: string; isRetirement: number }, [string, string]>(select)
    .all(JSON.stringify(entryIds), day)
  return new Map(
    rows.map(({ corrected, isRetirement, ...row }) => [
      corrected,
      { row: chunkRow(row), isRetirement: isRetirement === 1 },
    ]),
  )
}

const columns = `id, path, source, start_line AS startLine, end_line AS endLine,
  entry_id AS entryId, heading, date, time, tags, text, valid_from AS validFrom,
  valid_until AS validUntil,
  CASE embedded WHEN '' THEN '' ELSE hex(embed_hash) END AS saidHash`

type StoredRow = Omit<MemoryChunk, 'tags'> & { tags: string }

function chunkRow(row: StoredRow): MemoryChunk {
  return { ...row, tags: row.tags.split(' ').filter((tag) => tag !== '') }
}

function tagPattern(tag: string): string {
  return ` ${tag.replace(/^#/, '').toLowerCase()} `
}
