import type { Table } from '@lancedb/lancedb'
import { collectBetween, collectIfLarge } from '../../platform/garbage.ts'
import type { Kernels } from '../../platform/kernels/kernels.ts'
import type { ChunkHit } from './chunk-search.ts'
import { embeddingsOf, isIn, isNotIn } from '../lance.ts'
import { rowIndexOf } from './row-urls.ts'

/**
 * Every embedding of a table in memory, with its row id and page URL, in table order. A block
 * larger than the caches has a `compressed` copy.
 */
export type VectorBlock = {
  block: Float32Array
  compressed: Uint8Array | null
  rowIds: BigUint64Array
  urls: string[]
}

/** Searching a smaller block takes at most 0.7 ms without a compressed copy. */
const compressedFrom = 16_000_000

export async function readVectorBlock(
  table: Table,
  kernels: Kernels,
  size: { rows: number; dimensions: number },
): Promise<VectorBlock> {
  const block = new Float32Array(size.rows * size.dimensions)
  const rowIds = new BigUint64Array(size.rows)
  const urls: string[] = []
  const interned = new Map<string, string>()
  const internedUrl = (url: string) => interned.get(url) ?? (interned.set(url, url), url)
  for await (const batch of table.query().select(['url', 'vector']).withRowId()) {
    block.set(embeddingsOf(batch, size.dimensions), urls.length * size.dimensions)
    rowIds.set(batch.getChild('_rowid')!.toArray() as BigUint64Array, urls.length)
    for (const url of batch.getChild('url')!) urls.push(internedUrl(url))
  }
  collectIfLarge()
  const isLarge = block.byteLength >= compressedFrom
  return {
    block,
    compressed: isLarge ? kernels.compress(block, size.dimensions) : null,
    rowIds,
    urls,
  }
}

/** Returns the same hits as `nearest` on the table, computed by og's kernels. */
export function nearestInBlock(
  kernels: Kernels,
  { block, compressed, rowIds, urls }: VectorBlock,
  query: { embedding: Float32Array; limit: number },
): ChunkHit[] {
  const dims = query.embedding.length
  const { rows, scores } = kernels.topk(query.embedding, block, {
    dims,
    k: query.limit,
    compressed,
  })
  const hits: ChunkHit[] = []
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i]!
    hits.push({ rowId: rowIds[row]!, url: urls[row]!, score: scores[i]! })
  }
  return hits
}

/**
 * Returns the cosine of the nearest chunk for each embedding. Reads the table once, one batch at a
 * time, because the library may not fit into memory.
 */
export async function bestScores(
  kernels: Kernels,
  table: Table,
  embeddings: readonly Float32Array[],
): Promise<number[]> {
  const best = embeddings.map(() => -Infinity)
  const dims = embeddings[0]?.length ?? 0
  if (dims === 0) return best
  for await (const batch of collectBetween(table.query().select(['vector']))) {
    const block = embeddingsOf(batch, dims)
    embeddings.forEach((embedding, i) => {
      const { scores } = kernels.topk(embedding, block, { dims, k: 1 })
      best[i] = Math.max(best[i]!, scores[0]!)
    })
  }
  return best
}

/**
 * Returns the indexes of the rows with these ids, or null if an id is missing. Ids ascend because a
 * table is written only once.
 */
export function rowsInBlock({ rowIds }: VectorBlock, ids: bigint[]): number[] | null {
  const rows = ids.map((id) => rowIndexOf(rowIds, id))
  return rows.every((row, i) => rowIds[row] === ids[i]) ? rows : null
}

export function embeddingsInBlock({ block, rowIds }: VectorBlock, rows: number[]): Float32Array {
  const dimensions = block.length / rowIds.length
  const embeddings = new Float32Array(rows.length * dimensions)
  rows.forEach((row, i) => {
    const from = row * dimensions
    embeddings.set(block.subarray(from, from + dimensions), i * dimensions)
  })
  return embeddings
}

/** The URLs of the pages to search, and the URLs of all pages in the library. */
export type PageLimit = { urls: ReadonlySet<string>; all: readonly string[] }

/**
 * Returns a table filter that selects the pages, for embeddings that are not in memory. Uses the
 * shorter of an IN and a NOT IN list.
 */
export function pagesFilter({ urls, all }: PageLimit): string {
  if (2 * urls.size <= all.length) return isIn('url', [...urls])
  return isNotIn(
    'url',
    all.filter((url) => !urls.has(url)),
  )
}

export function nearestOnPages(
  kernels: Kernels,
  block: VectorBlock,
  query: { embedding: Float32Array; limit: number; urls: ReadonlySet<string> },
): ChunkHit[] {
  return nearestInBlock(kernels, blockOfPages(block, query.urls), query)
}

function blockOfPages(whole: VectorBlock, only: ReadonlySet<string>): VectorBlock {
  const { block, rowIds, urls } = whole
  const rows: number[] = []
  urls.forEach((url, row) => {
    if (only.has(url)) rows.push(row)
  })
  if (rows.length === urls.length) return whole
  const dims = block.length / urls.length
  const part = new Float32Array(rows.length * dims)
  for (let from = 0, to = 1; from < rows.length; from = to++) {
    while (to < rows.length && rows[to] === rows[to - 1]! + 1) to++
    const end = (rows[to - 1]! + 1) * dims
    part.set(block.subarray(rows[from]! * dims, end), from * dims)
  }
  return {
    block: part,
    compressed: null,
    rowIds: BigUint64Array.from(rows, (row) => rowIds[row]!),
    urls: rows.map((row) => urls[row]!),
  }
}
