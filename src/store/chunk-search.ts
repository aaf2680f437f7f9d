import type { Table } from '@lancedb/lancedb'
import { shownColumns, type ChunkRow } from './chunk-table.ts'
import { lance } from './lance.ts'
import { embeddingsOf } from './schema.ts'

/** A chunk found by one kind of search: higher `score` is better. */
export type Ranked = { rowId: bigint; url: string; score: number }

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
