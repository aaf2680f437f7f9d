import type { Kernels } from '../platform/kernels/kernels.ts'
import type { Ranked } from './chunks/chunk-search.ts'
import { nearestInBlock, type VectorBlock } from './chunks/vector-block.ts'
import { isIn, isNotIn } from './where.ts'

/** Pages by url that a search is limited to, and how many pages there are. */
export type Within = { urls: ReadonlySet<string>; all: readonly string[] }

/**
 * The best `limit` of what `ask` finds on these pages: more is asked for until there are enough
 * or no more is found. Exact, and for full-text search a fifth of what a filter costs it: asking
 * for every match takes 2 ms in 10,000 chunks, a filter with a thousand addresses 20.
 */
export async function bestWithin(
  urls: ReadonlySet<string>,
  { limit, of }: { limit: number; of: number },
  ask: (limit: number) => Promise<Ranked[]>,
): Promise<Ranked[]> {
  for (let depth = 4 * limit; ; depth *= 8) {
    const hits = await ask(Math.min(depth, of))
    const mine = hits.filter(({ url }) => urls.has(url))
    if (mine.length >= limit || depth >= of || hits.length < depth) return mine.slice(0, limit)
  }
}

/** The filter of a table for whoever has no embeddings in memory; the shorter of both spellings. */
export function pagesFilter({ urls, all }: Within): string {
  if (2 * urls.size <= all.length) return isIn('url', [...urls])
  return isNotIn(
    'url',
    all.filter((url) => !urls.has(url)),
  )
}

/** `nearestInBlock` among the rows of these pages: they are copied, runs of rows at once. */
export function nearestWithin(
  kernels: Kernels,
  block: VectorBlock,
  query: { embedding: Float32Array; limit: number; urls: ReadonlySet<string> },
): Ranked[] {
  return nearestInBlock(kernels, blockWithin(block, query.urls), query)
}

function blockWithin(whole: VectorBlock, only: ReadonlySet<string>): VectorBlock {
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
    rowIds: BigUint64Array.from(rows, (row) => rowIds[row]!),
    urls: rows.map((row) => urls[row]!),
  }
}
