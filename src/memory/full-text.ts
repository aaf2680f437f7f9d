import { queryTerms } from '../chunk/terms.ts'
import { filterSql, type RecallFilter } from './chunk-rows.ts'
import type { MemoryIndex } from './memory-index.ts'

/** A chunk that holds some of the words asked for: its BM25, higher is better. */
export type TextMatch = { id: number; bm25: number }

/**
 * Chunks that hold any of the query's terms, best first: words are stemmed, CJK is found by its
 * characters, identifiers whole and by their parts, and nothing in a query is syntax (weaknesses
 * 21 and 22). Words of headings and tags count twice.
 */
export function fullText(
  { database }: MemoryIndex,
  query: string,
  { limit, filter }: { limit: number; filter: RecallFilter },
): TextMatch[] {
  const wanted = tellingTerms(database, queryTerms(query, maxQueryTerms))
  if (wanted.length === 0) return []
  const match = wanted.map((term) => `"${term.replaceAll('"', '""')}"`).join(' OR ')
  const where = filterSql(filter)
  const inFilter = where === null ? '' : `AND +rowid IN (SELECT id FROM chunks WHERE ${where.sql})`
  // bm25() is negative, the best one lowest; equal ones newest first. Without the plus SQLite asks
  // the full-text index once for every row that the filter lets through.
  const select = `SELECT rowid AS id, -bm25(chunk_terms, 2.0, 2.0, 1.0) AS bm25 FROM chunk_terms
    WHERE chunk_terms MATCH ? ${inFilter} ORDER BY bm25 DESC, id DESC LIMIT ?`
  return database
    .query<TextMatch, (string | number)[]>(select)
    .all(match, ...(where?.values ?? []), limit)
}

/** A whole page may be pasted as a query; its first terms say enough. */
const maxQueryTerms = 64

/**
 * The terms without those that are in so many chunks that they tell nothing: a term of one chunk
 * in ten weighs a quarter of a rare one and costs a thousand times its time. One that stands alone
 * stays.
 */
function tellingTerms(database: MemoryIndex['database'], wanted: string[]): string[] {
  const counts = database.query<{ doc: number }, [string]>(
    'SELECT doc FROM term_counts WHERE term = ?',
  )
  const { nChunks } = database
    .query<{ nChunks: number }, []>('SELECT count(*) AS nChunks FROM chunks')
    .get()!
  if (nChunks < manyChunks) return wanted
  const counted = wanted.map((term) => ({ term, nHolding: counts.get(term)?.doc ?? 0 }))
  const rare = counted.filter(({ nHolding }) => nHolding > 0 && nHolding < nChunks / 10)
  const found = rare.length > 0 ? rare : counted.filter(({ nHolding }) => nHolding > 0)
  return found.map(({ term }) => term)
}

/** Below this every term is cheap. */
const manyChunks = 2000
