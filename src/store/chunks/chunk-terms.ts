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
      // If the table is closed during loading, nothing waits for its terms.
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

/** Number of rows to read before the thread does other work. */
const rowsAtOnce = 256

/**
 * Reads the terms of every chunk, which takes about five bytes per term and chunk. Yields to other
 * work between batches of rows.
 */
export async function readChunkTerms(table: Table, nRows: number): Promise<ChunkTerms> {
  const rowIds = new BigUint64Array(nRows)
  const urls: string[] = []
  // Chunks of a page share one string for its URL.
  const interned = new Map<string, string>()
  const internedUrl = (url: string) => interned.get(url) ?? (interned.set(url, url), url)
  const postings = openPostingsBuilder(nRows)
  for await (const batch of table.query().select(['url', 'terms']).withRowId()) {
    rowIds.set(batch.getChild('_rowid')!.toArray() as BigUint64Array, urls.length)
    const [ofPage, terms] = [batch.getChild('url')!, batch.getChild('terms')!]
    for (let row = 0; row < batch.numRows; row++) {
      postings.add(urls.length, terms.get(row).split(' '))
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

function bestRows(scores: Float32Array, limit: number): number[] {
  const rows: number[] = []
  for (let row = 0; row < scores.length; row++) if (scores[row]! > 0) rows.push(row)
  const least =
    rows.length <= limit
      ? 0
      : Float32Array.from(rows, (row) => scores[row]!).sort()[rows.length - limit]!
  const best = rows.filter((row) => scores[row]! >= least)
  return best.sort((a, b) => scores[b]! - scores[a]! || a - b).slice(0, limit)
}
