import type { Table } from '@lancedb/lancedb'
import type { RecordBatch } from 'apache-arrow'
import { shownColumns, type ChunkRow } from './chunk-table.ts'
import { lance } from '../lance.ts'
import { embeddingsOf } from '../embeddings.ts'

/** A chunk found by one kind of search: higher `score` is better. */
export type Ranked = { rowId: bigint; url: string; score: number }

/** BM25 over any of these terms, or, where `isAll`, over chunks that hold all of them. */
export async function fullText(
  table: Table,
  terms: string[],
  { limit, isAll = false }: { limit: number; isAll?: boolean },
): Promise<Ranked[]> {
  const found = await match(table, terms, { columns: ['url', '_score'], limit, isAll })
  return found.batches.flatMap((batch) => {
    const { rowIds, scores } = columnsOf(batch)
    const urls = [...batch.getChild('url')!] as string[]
    return urls.map((url, i) => ({ rowId: rowIds[i]!, url, score: scores[i]! }))
  })
}

/**
 * Full text for whoever knows the addresses: to read them is more than half of the work. Null
 * where `urlsOf` does not know them all.
 */
export async function fullTextOfKnown(
  table: Table,
  terms: string[],
  options: { limit: number; urlsOf: (rowIds: bigint[]) => string[] | null },
): Promise<Ranked[] | null> {
  const found = await match(table, terms, { columns: ['_score'], limit: options.limit })
  const columns = found.batches.map(columnsOf)
  const rowIds = columns.flatMap((column) => [...column.rowIds])
  const scores = columns.flatMap((column) => [...column.scores])
  const urls = options.urlsOf(rowIds)
  return urls && urls.map((url, i) => ({ rowId: rowIds[i]!, url, score: scores[i]! }))
}

async function match(
  table: Table,
  terms: string[],
  { columns, limit, isAll = false }: { columns: string[]; limit: number; isAll?: boolean },
) {
  const { MatchQuery, Operator } = await lance()
  const options = { operator: isAll ? Operator.And : Operator.Or }
  const query = table.query().fullTextSearch(new MatchQuery(terms.join(' '), 'terms', options))
  return query.select(columns).withRowId().limit(limit).toArrow()
}

/** Columns as they lie in memory: rows as objects cost more than the search itself. */
function columnsOf(batch: RecordBatch): { rowIds: BigUint64Array; scores: Float32Array } {
  return {
    rowIds: batch.getChild('_rowid')!.toArray(),
    scores: batch.getChild('_score')!.toArray(),
  }
}

/**
 * Exact vector search, of rows that match `where` (store/where.ts) if there is one. Embeddings are
 * normalised, so the dot product is the cosine.
 */
export async function nearest(
  table: Table,
  embedding: Float32Array,
  { limit, where }: { limit: number; where?: string },
): Promise<Ranked[]> {
  const query = where === undefined ? table.query() : table.query().where(where)
  const found = await query
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
  const found = await table.takeRowIds(rowIds).select(['vector']).withRowId().toArrow()
  for (const batch of found.batches) {
    const embeddings = embeddingsOf(batch, dimensions)
    const ids = batch.getChild('_rowid')!.toArray() as BigUint64Array
    ids.forEach((id, row) => {
      const from = row * dimensions
      block.set(embeddings.subarray(from, from + dimensions), places.get(id)!)
    })
  }
  return block
}

/** The rows of these ids, in their order. */
export async function chunksByRowId(table: Table, rowIds: bigint[]): Promise<ChunkRow[]> {
  const byId = new Map<bigint, ChunkRow>()
  const found = await table.takeRowIds(rowIds).select(shownColumns).withRowId().toArray()
  for (const row of found) byId.set(row._rowid, row.toJSON())
  return rowIds.map((id) => byId.get(id) as ChunkRow)
}
