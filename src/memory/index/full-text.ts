import { queryTerms } from '../../chunk/terms.ts'
import { filterSql, type RecallFilter } from './chunk-rows.ts'
import type { MemoryIndex } from './memory-index.ts'

/**
 * A chunk that contains a query term. `coverage` is its BM25 divided by the BM25 of a typical chunk
 * with all terms, limited to 1. Unlike BM25, it is comparable between queries.
 */
export type TextMatch = { id: number; coverage: number }

/**
 * Finds chunks that contain any query term, best first. Stems words, matches CJK text by
 * characters, and matches identifiers whole and by their parts. A query has no special syntax.
 * Terms in headings and tags count twice.
 */
export function searchFullText(
  { database }: MemoryIndex,
  query: string,
  { limit, filter }: { limit: number; filter: RecallFilter },
): TextMatch[] {
  const counted = countedTerms(database, queryTerms(query, maxQueryTerms))
  const selective = selectiveTerms(counted)
  if (selective.length === 0) return []
  const match = selective.map(phrase).join(' OR ')
  const { from, values } = matching(filter)
  // bm25() is negative, and the lowest value is the best. The newest of equal chunks is first.
  const select = `SELECT rowid AS id, -bm25(chunk_terms, 2.0, 2.0, 1.0) AS bm25 ${from}
    ORDER BY bm25 DESC, id DESC LIMIT ?`
  const whole = counted.terms.reduce((sum, term) => sum + standardBm25(term, counted.nChunks), 0)
  return database
    .query<{ id: number; bm25: number }, (string | number)[]>(select)
    .all(match, ...values, limit)
    .map(({ id, bm25 }) => ({ id, coverage: Math.min(1, bm25 / whole) }))
}

/**
 * Returns the ids of chunks that contain the `nTerms` rarest terms of the text, except for at most
 * `nMissing` of them. Sorts by number of terms, then newest first. Unlike a search, never reads the
 * complete posting list of a term that occurs in thousands of chunks.
 */
export function findChunksSharingTerms(
  { database }: MemoryIndex,
  text: string,
  { nTerms, nMissing, limit }: { nTerms: number; nMissing: number; limit: number },
): number[] {
  const counted = countedTerms(database, queryTerms(text, maxQueryTerms))
  const rarest = selectiveTerms(counted).slice(0, nTerms)
  const select = database.query<{ id: number }, [string, number]>(
    'SELECT rowid AS id FROM chunk_terms WHERE chunk_terms MATCH ? ORDER BY rowid DESC LIMIT ?',
  )
  const ids = new Set<number>()
  const least = Math.max(1, rarest.length - nMissing)
  for (let size = rarest.length; size >= least && ids.size < limit; size--) {
    const match = subsets(rarest, size).map((terms) => `(${terms.map(phrase).join(' AND ')})`)
    for (const { id } of select.all(match.join(' OR '), limit)) ids.add(id)
  }
  return [...ids].slice(0, limit)
}

function subsets(terms: readonly string[], size: number): string[][] {
  if (size === 0) return [[]]
  return terms.flatMap((term, i) =>
    subsets(terms.slice(i + 1), size - 1).map((rest) => [term, ...rest]),
  )
}

/** Returns the ids of chunks that contain all of these terms, best first. */
export function matchAllTerms(
  { database }: MemoryIndex,
  words: readonly string[],
  { limit, filter }: { limit: number; filter: RecallFilter },
): number[] {
  const { from, values } = matching(filter)
  return database
    .query<{ id: number }, (string | number)[]>(`SELECT rowid AS id ${from} ORDER BY rank LIMIT ?`)
    .all(words.map(phrase).join(' AND '), ...values, limit)
    .map(({ id }) => id)
}

/**
 * Returns the FROM clause of a full-text query with its filter. The unary plus keeps SQLite from
 * running the full-text query once per filtered row.
 */
function matching(filter: RecallFilter): { from: string; values: string[] } {
  const where = filterSql(filter)
  const inFilter = where === null ? '' : `AND +rowid IN (SELECT id FROM chunks WHERE ${where.sql})`
  return {
    from: `FROM chunk_terms WHERE chunk_terms MATCH ? ${inFilter}`,
    values: where?.values ?? [],
  }
}

function phrase(term: string): string {
  return `"${term.replaceAll('"', '""')}"`
}

/** Maximum number of query terms, because a user may paste a whole page as a query. */
const maxQueryTerms = 64

type Term = { text: string; nHolding: number }
type Counted = { terms: Term[]; nChunks: number }

function countedTerms(database: MemoryIndex['database'], words: string[]): Counted {
  const counts = database.query<{ doc: number }, [string]>(
    'SELECT doc FROM term_counts WHERE term = ?',
  )
  const { nChunks } = database
    .query<{ nChunks: number }, []>('SELECT count(*) AS nChunks FROM chunks')
    .get()!
  const frequent = frequentTerms(database, nChunks)
  const count = (text: string) => {
    const count = frequent.get(text)
    if (count !== undefined) return count
    const nHolding = counts.get(text)?.doc ?? 0
    if (nHolding >= manyHolding) frequent.set(text, nHolding)
    return nHolding
  }
  return { terms: words.map((text) => ({ text, nHolding: count(text) })), nChunks }
}

/** Counting a term reads its complete posting list, so large counts are cached. */
const manyHolding = 500

/**
 * The cached counts of common terms, which are dropped when the number of chunks has changed by 2
 * %.
 */
function frequentTerms(database: MemoryIndex['database'], nChunks: number): Map<string, number> {
  const cached = knownCounts.get(database)
  if (cached && Math.abs(cached.nChunks - nChunks) <= cached.nChunks / 50) return cached.counts
  const counts = new Map<string, number>()
  knownCounts.set(database, { nChunks, counts })
  return counts
}

const knownCounts = new WeakMap<
  MemoryIndex['database'],
  { nChunks: number; counts: Map<string, number> }
>()

/**
 * Drops common terms unless all terms are common. A term that occurs in a tenth of the chunks has a
 * quarter of the weight of a rare term and takes a thousand times as long.
 */
function selectiveTerms({ terms, nChunks }: Counted): string[] {
  const held = terms.filter(({ nHolding }) => nHolding > 0)
  const rare = held.filter(({ nHolding }) => nChunks < manyChunks || nHolding < nChunks / 10)
  const best = (rare.length > 0 ? rare : held).toSorted((a, b) => a.nHolding - b.nHolding)
  return best.map(({ text }) => text)
}

/** With fewer chunks, every term is fast to search and no term is dropped. */
const manyChunks = 2000

/** BM25 of a term that occurs once in a chunk of average length. It equals the idf of FTS5. */
function standardBm25({ nHolding }: Term, nChunks: number): number {
  return Math.max(1e-6, Math.log((nChunks - nHolding + 0.5) / (nHolding + 0.5)))
}
