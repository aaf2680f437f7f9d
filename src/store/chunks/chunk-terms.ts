import type { Table } from '@lancedb/lancedb'
import { markGuides } from '../../api/api-path.ts'
import { collectIfLarge } from '../../platform/garbage.ts'
import { openPostings, openPostingsBuilder, type Bm25 } from '../postings.ts'
import type { RowUrls } from './row-urls.ts'
import { searchFullText, type FullTextLimits, type ChunkHit } from './chunk-search.ts'

/** The terms of every chunk in memory, one document per chunk, with row ids and page URLs. */
type ChunkTerms = { bm25: Bm25; rowIds: BigUint64Array; urls: string[] }

/**
 * Searches the full text of a table. LanceDB answers the first request of a process. At the second
 * request, the process starts to load the terms into memory if there are at most `most` rows;
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
 * Returns a function that says whether a call belongs to a later request than the first call. A
 * request may make several calls within 300 ms.
 */
export function requestClock(): () => boolean {
  let firstAt: number | null = null
  return () => {
    firstAt ??= performance.now()
    return performance.now() - firstAt > 300
  }
}

const rowsAtOnce = 256

/**
 * Reads the terms of every chunk, which takes about five bytes per term and chunk. Yields to other
 * work between batches of rows.
 */
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
 * Returns the same result as `searchFullText` on the table, but if there are guides and an API
 * reference, terms have the rarity that they have in guides. Hits with equal scores are ordered by
 * row.
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
 * Returns the rows with the best positive scores, best first; on a tie, the earlier row comes
 * first. Sorts numbers, which takes a fraction of the time of a comparison function: each contains
 * the bits of a score, whose order is that of the scores because none is negative, and its row.
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

/** A number has room for 31 bits of a score and 22 bits of a row. */
const rowLimit = 2 ** 22
/** Bits of a score that do not decide its bucket, and number of buckets. */
const bucketShift = 19
const bucketCount = 2 ** (32 - bucketShift)

/**
 * Returns a lower limit for the bits of the best `limit` positive scores. Counts scores in buckets,
 * so that few others remain to be sorted.
 */
function leastBits(bits: Uint32Array, limit: number): number {
  if (bits.length < bucketCount) return 1
  const counts = new Uint32Array(bucketCount)
  for (let row = 0; row < bits.length; row++) counts[bits[row]! >>> bucketShift]!++
  let found = 0
  for (let bucket = bucketCount / 2 - 1; bucket > 0; bucket--) {
    found += counts[bucket]!
    if (found >= limit) return bucket << bucketShift
  }
  return 1
}
