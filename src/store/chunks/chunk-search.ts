import type { Table } from '@lancedb/lancedb'
import type { RecordBatch } from 'apache-arrow'
import { hitColumns, type ChunkRow } from './chunk-table.ts'
import { loadLance } from '../lance.ts'
import type { RowUrls } from './row-urls.ts'
import { embeddingsOf } from '../embeddings.ts'

export type ChunkHit = { rowId: bigint; url: string; score: number }

/**
 * `isAll` selects only chunks that contain all of the terms. Without `urls`, LanceDB reads the URLs
 * of the pages.
 */
export type FullTextLimits = { limit: number; isAll?: boolean; urls?: RowUrls | null }

export async function searchFullText(
  table: Table,
  terms: string[],
  { limit, isAll = false, urls = null }: FullTextLimits,
): Promise<ChunkHit[]> {
  const { MatchQuery, Operator } = await loadLance()
  const options = { operator: isAll ? Operator.And : Operator.Or }
  const query = table.query().fullTextSearch(new MatchQuery(terms.join(' '), 'terms', options))
  const answer = await query.select(columnsOf('_score', urls)).withRowId().limit(limit).toArrow()
  return answer.batches.flatMap((batch) => rankedRows(batch, '_score', urls))
}

function columnsOf(value: string, urls: RowUrls | null): string[] {
  return urls === null ? ['url', value] : [value]
}

/**
 * Reads columns directly from memory, because converting rows to objects costs more than the search
 * itself.
 */
function rankedRows(batch: RecordBatch, value: string, urlsOf: RowUrls | null): ChunkHit[] {
  const ids = batch.getChild('_rowid')!.toArray() as BigUint64Array
  const values = batch.getChild(value)!.toArray() as Float32Array
  const urls = urlsOf?.(ids) ?? [...(batch.getChild('url')! as Iterable<string>)]
  return urls.map((url, i) => ({ rowId: ids[i]!, url, score: values[i]! }))
}

/**
 * `probes` is the number of index parts to search. With `where`, all parts are searched, because
 * matching rows may be in any part. If `probes` is undefined, every row is compared.
 */
type VectorLimits = {
  limit: number
  where?: string | undefined
  probes?: number
  urls?: RowUrls | null
}

/**
 * Minimum number of candidates requested from an index, which are then ranked by their exact
 * embeddings.
 */
const fewestRanked = 300
/** Larger than the number of parts in any index. */
const everyPart = 1_000_000

/**
 * Searches vectors, only among the rows that match `where` (store/where.ts) if it is set. The dot
 * product equals the cosine, because embeddings are normalised.
 */
export async function searchNearest(
  table: Table,
  embedding: Float32Array,
  { limit, where, probes, urls = null }: VectorLimits,
): Promise<ChunkHit[]> {
  const query = where === undefined ? table.query() : table.query().where(where)
  const near = query.nearestTo(embedding).distanceType('dot')
  const parts = probes !== undefined && where !== undefined ? everyPart : probes
  const limited =
    parts === undefined
      ? near.bypassVectorIndex().limit(limit)
      : near.nprobes(parts).refineFactor(1).limit(Math.max(limit, fewestRanked))
  const answer = await limited.select(columnsOf('_distance', urls)).withRowId().toArrow()
  const ranked = answer.batches.flatMap((batch) => rankedRows(batch, '_distance', urls))
  return ranked.slice(0, limit).map((row) => ({ ...row, score: 1 - row.score }))
}

export async function embeddingsByRowId(
  table: Table,
  rowIds: bigint[],
  dimensions: number,
): Promise<Float32Array> {
  const block = new Float32Array(rowIds.length * dimensions)
  const places = new Map(rowIds.map((id, i) => [id, i * dimensions]))
  const taken = await table.takeRowIds(rowIds).select(['vector']).withRowId().toArrow()
  for (const batch of taken.batches) {
    const embeddings = embeddingsOf(batch, dimensions)
    const ids = batch.getChild('_rowid')!.toArray() as BigUint64Array
    ids.forEach((id, row) => {
      const from = row * dimensions
      block.set(embeddings.subarray(from, from + dimensions), places.get(id)!)
    })
  }
  return block
}

export async function chunksByRowId(table: Table, rowIds: bigint[]): Promise<ChunkRow[]> {
  const byId = new Map<bigint, ChunkRow>()
  const rows = await table.takeRowIds(rowIds).select(hitColumns).withRowId().toArray()
  for (const taken of rows) {
    const { _rowid, ...row } = taken.toJSON()
    byId.set(_rowid, row as ChunkRow)
  }
  return rowIds.map((id) => byId.get(id) as ChunkRow)
}
