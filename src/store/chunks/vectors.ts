import type { Table } from '@lancedb/lancedb'
import type { Kernels } from '../../platform/kernels/kernels.ts'
import { once } from '../../platform/once.ts'
import type { Generation } from '../registry.ts'
import { nearestOnPages, pagesFilter, type PageLimit } from '../nearest-on-pages.ts'
import { searchNearest, type ChunkHit } from './chunk-search.ts'
import {
  embeddingsInBlock,
  nearestInBlock,
  readVectorBlock,
  rowsInBlock,
  type VectorBlock,
} from './vector-block.ts'
import type { RowUrls } from './row-urls.ts'
import { minRecall, type VectorIndex } from './vector-index.ts'

export type VectorSearch = {
  nearest(embedding: Float32Array, limit: number, within?: PageLimit): Promise<ChunkHit[]>
  /** Null if the embeddings are not in memory. */
  embeddingsOf(rowIds: bigint[]): Float32Array | null
}

/** `index` reads how to query the index; null if the table is too small for one. */
type VectorSource = {
  open: () => Promise<Table>
  index: (() => Promise<VectorIndex | null>) | null
  urls: () => RowUrls | null
}

export function openVectorSearch(
  generation: Generation,
  kernels: Kernels,
  { open, index, urls }: VectorSource,
): VectorSearch {
  const vectors =
    index === null
      ? vectorsInMemory(generation, kernels, open)
      : indexedVectors({ open, index, urls })
  return {
    ...vectors,
    async nearest(embedding, limit, within) {
      // No chunk is embedded yet.
      if (generation.embedded === 0) return []
      const hits = await vectors.nearest(embedding, limit, within)
      // Rows that are not embedded yet contain zeros, which score exactly 0.
      return generation.embedded === undefined ? hits : hits.filter(({ score }) => score !== 0)
    },
  }
}

/** LanceDB answers the first query; at the second, the process loads the embeddings into memory. */
function vectorsInMemory(
  generation: Generation,
  kernels: Kernels,
  open: () => Promise<Table>,
): VectorSearch {
  let wasSearched = false
  let reading: Promise<VectorBlock> | null = null
  let block: VectorBlock | null = null
  const read = async (dimensions: number) => {
    reading ??= open()
      .then((it) => readVectorBlock(it, kernels, { rows: generation.chunks, dimensions }))
      .catch((error) => {
        // The next search tries again.
        reading = null
        throw error
      })
    return (block = await reading)
  }
  return {
    async nearest(embedding, limit, within) {
      if (!wasSearched) {
        wasSearched = true
        return searchNearest(await open(), embedding, {
          limit,
          where: within && pagesFilter(within),
        })
      }
      const vectors = await read(embedding.length)
      if (within) return nearestOnPages(kernels, vectors, { embedding, limit, urls: within.urls })
      return nearestInBlock(kernels, vectors, { embedding, limit })
    },
    embeddingsOf(rowIds) {
      const rows = block && rowsInBlock(block, rowIds)
      return rows && embeddingsInBlock(block!, rows)
    },
  }
}

/**
 * For at most this many pages, a filter in LanceDB is faster than searching all pages and
 * discarding hits.
 */
const fewPages = 1000

function indexedVectors({
  open,
  index,
  urls,
}: VectorSource & { index: () => Promise<VectorIndex | null> }): VectorSearch {
  const openIndex = once(index)
  return {
    async nearest(embedding, limit, within) {
      const [table, vectorIndex] = await Promise.all([open(), openIndex()])
      const isGood = vectorIndex !== null && vectorIndex.recall >= minRecall
      const options = isGood ? { probes: vectorIndex.probes } : {}
      const ask = (most: number, where?: string) =>
        searchNearest(table, embedding, { limit: most, where, urls: urls(), ...options })
      if (within === undefined) return ask(limit)
      if (within.urls.size > fewPages && vectorIndex !== null) {
        const hits = await ask(4 * limit)
        const mine = hits.filter(({ url }) => within.urls.has(url))
        if (mine.length >= limit) return mine.slice(0, limit)
      }
      return ask(limit, pagesFilter(within))
    },
    embeddingsOf: () => null,
  }
}
