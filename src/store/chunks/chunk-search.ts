import type { Table } from '@lancedb/lancedb'
import type { RecordBatch } from 'apache-arrow'
import { hitColumns, type ChunkRow } from './chunk-table.ts'
import { loadLance, embeddingsOf } from '../lance.ts'
import type { RowUrls } from './row-urls.ts'
import { markGuides } from '../../api/api-path.ts'
import { collectIfLarge } from '../../platform/garbage.ts'
import { openPostings, openPostingsBuilder, type Bm25 } from '../postings.ts'

export type ChunkHit = { rowId: bigint; url: string; score: number }

/** `isAll` selects only chunks with all terms. Without `urls`, LanceDB reads the URLs. */
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

/** Reads columns from memory, because converting rows to objects is slower than the search. */
function rankedRows(batch: RecordBatch, value: string, urlsOf: RowUrls | null): ChunkHit[] {
  const ids = batch.getChild('_rowid')!.toArray() as BigUint64Array
  const values = batch.getChild(value)!.toArray() as Float32Array
  const urls = urlsOf?.(ids) ?? [...(batch.getChild('url')! as Iterable<string>)]
  return urls.map((url, i) => ({ rowId: ids[i]!, url, score: values[i]! }))
}

/**
 * `probes` is the number of index parts to search. With `where`, all parts are searched because
 * matching rows may be in any part. If `probes` is undefined, every row is compared.
 */
type VectorLimits = {
  limit: number
  where?: string | undefined
  probes?: number
  urls?: RowUrls | null
}

/** Minimum number of candidates requested from an index. Their exact embeddings then rank them. */
const fewestRanked = 300
/** More parts than any index has. */
const everyPart = 1_000_000

/**
 * Searches vectors, only in rows that match `where` (store/lance.ts) if it is set. Embeddings are
 * normalised, so the dot product equals the cosine.
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
  const rows = await table.takeRowIds(rowIds).select(['vector']).withRowId().toArrow()
  for (const batch of rows.batches) {
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
  for (const found of rows) {
    const { _rowid, ...row } = found.toJSON()
    byId.set(_rowid, row as ChunkRow)
  }
  return rowIds.map((id) => byId.get(id) as ChunkRow)
}

/** The terms of every chunk in memory, with row ids and page URLs. Each chunk is one document. */
type ChunkTerms = { bm25: Bm25; rowIds: BigUint64Array; urls: string[] }

/**
 * Searches the full text of a table. LanceDB answers a process's first request. At the second
 * request, the process starts to load the terms into memory if the table has at most `most` rows.
 * LanceDB continues to answer until they are loaded.
 */
export function openFullText(
  nRows: number,
  { most, open, urls }: { most: number; open: () => Promise<Table>; urls: () => RowUrls | null },
) {
  const isLaterRequest = requestClock()
  let reading: Promise<void> | null = null
  let inMemory: ChunkTerms | null = null
  return async (terms: string[], limits: FullTextLimits): Promise<ChunkHit[]> => {
    if (inMemory !== null) return fullTextInMemory(inMemory, terms, limits)
    const table = await open()
    if (isLaterRequest() && nRows <= most) {
      reading ??= readChunkTerms(table, nRows).then(
        (read) => void (inMemory = read),
        () => {},
      )
    }
    return searchFullText(table, terms, { ...limits, urls: urls() })
  }
}

/**
 * Returns a function that is false during the first request and true afterwards. Calls within 300
 * ms belong to one request.
 */
export function requestClock(): () => boolean {
  let firstAt: number | null = null
  return () => {
    firstAt ??= performance.now()
    return performance.now() - firstAt > 300
  }
}

const rowsAtOnce = 256

/** Reads the terms of every chunk, which use about five bytes per term and chunk. */
export async function readChunkTerms(table: Table, nRows: number): Promise<ChunkTerms> {
  const rowIds = new BigUint64Array(nRows)
  const urls: string[] = []
  const interned = new Map<string, string>()
  const internedUrl = (url: string) => interned.get(url) ?? (interned.set(url, url), url)
  const postings = openPostingsBuilder(nRows)
  for await (const batch of table.query().select(['url', 'terms']).withRowId()) {
    rowIds.set(batch.getChild('_rowid')!.toArray() as BigUint64Array, urls.length)
    const [ofPage, terms] = [batch.getChild('url')!, batch.getChild('terms')!]
    for (let row = 0; row < batch.numRows; row++) {
      postings.add(urls.length, terms.get(row))
      urls.push(internedUrl(ofPage.get(row)))
      if (row % rowsAtOnce === 0) await new Promise(setImmediate)
    }
  }
  const bm25 = openPostings(postings.finished(Uint32Array), markGuides(urls))
  collectIfLarge()
  return { bm25, rowIds, urls }
}

/**
 * Returns the same hits as `searchFullText` on the table. If there are both guides and an API
 * reference, uses each term's rarity in the guides. Equal scores are ordered by row.
 */
export function fullTextInMemory(
  { bm25, rowIds, urls }: ChunkTerms,
  terms: readonly string[],
  { limit, isAll = false }: FullTextLimits,
): ChunkHit[] {
  const scores = bm25.scores(terms, { isAll })
  return bestRows(scores, limit).map((row) => ({
    rowId: rowIds[row]!,
    url: urls[row]!,
    score: scores[row]!,
  }))
}

/**
 * Returns the rows with the best positive scores, best first; ties are ordered by row. Packs each
 * score and its row into one number because sorting numbers is much faster than sorting with a
 * comparison function. The bits of non-negative scores have the same order as the scores.
 */
function bestRows(scores: Float32Array, limit: number): number[] {
  const bits = new Uint32Array(scores.buffer, scores.byteOffset, scores.length)
  const least = leastBits(bits, limit)
  const keys = new Float64Array(scores.length)
  let count = 0
  for (let row = 0; row < bits.length; row++) {
    if (bits[row]! >= least) keys[count++] = bits[row]! * rowLimit + (rowLimit - 1 - row)
  }
  const best = keys
    .subarray(0, count)
    .sort()
    .subarray(Math.max(0, count - limit))
    .reverse()
  return Array.from(best, (key) => rowLimit - 1 - (key % rowLimit))
}

/** A number has room for 31 bits of score and 22 bits of row. */
const rowLimit = 2 ** 22
/** Low bits of a score that do not affect its bucket, and the number of buckets. */
const bucketShift = 19
const bucketCount = 2 ** (32 - bucketShift)

/**
 * Returns a lower limit for the bits of the best `limit` positive scores. Counts scores in buckets
 * so that few scores remain to be sorted.
 */
function leastBits(bits: Uint32Array, limit: number): number {
  if (bits.length < bucketCount) return 1
  const counts = new Uint32Array(bucketCount)
  for (let row = 0; row < bits.length; row++) counts[bits[row]! >>> bucketShift]!++
  let sum = 0
  for (let bucket = bucketCount / 2 - 1; bucket > 0; bucket--) {
    sum += counts[bucket]!
    if (sum >= limit) return bucket << bucketShift
  }
  return 1
}
