import type { Connection, Table } from '@lancedb/lancedb'
import { lance } from './lance.ts'
import { arrowTable, type Columns } from './schema.ts'

/** A chunk as it is kept. */
export type ChunkRow = {
  url: string
  title: string
  /** Heading path joined by ` > `. */
  heading: string
  content: string
  /** What full-text search sees: index terms of all fields, separated by spaces. */
  terms: string
  chunk_index: number
  start_offset: number
  end_offset: number
  start_line: number
  end_line: number
}

/** A chunk found by one kind of search: higher `score` is better. */
export type Ranked = { rowId: bigint; url: string; score: number }

const numbers = ['chunk_index', 'start_offset', 'end_offset', 'start_line', 'end_line'] as const
const columns: Columns = { texts: ['url', 'title', 'heading', 'content', 'terms'], numbers }
const shown = ['url', 'title', 'heading', 'content', ...numbers]

export type Embeddings = { block: Float32Array; dimensions: number }

/** Appends chunks; the first call creates the table. */
export async function appendChunks(
  into: { database: Connection; table: Table | null },
  rows: ChunkRow[],
  embeddings: Embeddings | null,
): Promise<Table> {
  const data = arrowTable(columns, rows, embeddings)
  if (into.table === null) return into.database.createTable('chunks', data)
  await into.table.add(data)
  return into.table
}

/**
 * Builds the full-text index. The terms are already analysed (chunk/terms.ts),
 * so LanceDB only splits them at whitespace: its own tokenizers lose `C++`, `$lookup`, `--flag`.
 */
export async function indexTerms(table: Table): Promise<void> {
  const { Index } = await lance()
  const config = Index.fts({
    baseTokenizer: 'whitespace',
    lowercase: false,
    stem: false,
    removeStopWords: false,
    asciiFolding: false,
    withPosition: false,
    maxTokenLength: 200,
  })
  await table.createIndex('terms', { config })
}

/** BM25 over any of these terms. */
export async function fullText(table: Table, terms: string[], limit: number): Promise<Ranked[]> {
  const { MatchQuery } = await lance()
  const found = await table
    .query()
    .fullTextSearch(new MatchQuery(terms.join(' '), 'terms'))
    .select(['url', '_score'])
    .withRowId()
    .limit(limit)
    .toArray()
  return found.map((row) => ({ rowId: row._rowid, url: row.url, score: row._score }))
}

/** Exact vector search. Embeddings are normalised, so the dot product is the cosine. */
export async function nearest(
  table: Table,
  embedding: Float32Array,
  limit: number,
): Promise<Ranked[]> {
  const found = await table
    .query()
    .nearestTo(embedding)
    .distanceType('dot')
    .select(['url', '_distance'])
    .withRowId()
    .limit(limit)
    .toArray()
  return found.map((row) => ({ rowId: row._rowid, url: row.url, score: 1 - row._distance }))
}

/** The embeddings of these rows, in their order: row-major, ids × dimensions. */
export async function embeddingsByRowId(
  table: Table,
  rowIds: bigint[],
  dimensions: number,
): Promise<Float32Array> {
  const block = new Float32Array(rowIds.length * dimensions)
  const places = new Map(rowIds.map((id, i) => [id, i * dimensions]))
  for (const row of await table.takeRowIds(rowIds).select(['vector']).withRowId().toArray()) {
    block.set(row.vector.toArray(), places.get(row._rowid)!)
  }
  return block
}

/** The rows of these ids, in their order. */
export async function chunksByRowId(table: Table, rowIds: bigint[]): Promise<ChunkRow[]> {
  const byId = new Map<bigint, ChunkRow>()
  const found = await table.takeRowIds(rowIds).select(shown).withRowId().toArray()
  for (const row of found) byId.set(row._rowid, row.toJSON())
  return rowIds.map((id) => byId.get(id) as ChunkRow)
}
