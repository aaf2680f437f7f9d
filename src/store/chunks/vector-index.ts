import { join } from 'node:path'
import type { Table } from '@lancedb/lancedb'
import { writeFileAtomically } from '../../platform/file/files.ts'
import { searchNearest, type ChunkHit } from './chunk-search.ts'
import { readOptionalFile } from '../file-checks.ts'
import { loadLance, dimensionsOf } from '../lance.ts'
import {
  interpolateQueries,
  nearestCount,
  exactNearest,
  sampleEmbeddings,
} from './recall-sample.ts'
import type { Kernels } from '../../platform/kernels/kernels.ts'
import { once } from '../../platform/concurrency.ts'
import type { Generation } from '../registry.ts'
import {
  embeddingsInBlock,
  nearestInBlock,
  readVectorBlock,
  rowsInBlock,
  type VectorBlock,
  type PageLimit,
  pagesFilter,
  nearestOnPages,
} from './vector-block.ts'
import type { RowUrls } from './row-urls.ts'
import type { CheckBytes } from '../integrity/damage.ts'

/**
 * A library with more chunks than this gets a LanceDB vector index. For fewer chunks, exact search
 * is better: 200,000 chunks take 16 ms and 300 MB, and no index has to be built.
 */
export const vectorIndexRows = 200_000

/** Query settings of a generation's index, and the recall measured when it was built. */
export type VectorIndex = { probes: number; recall: number }

/** This file belongs to the generation, so its manifest lists it. */
export const vectorIndexName = 'vector-index.json'
/** An index with lower recall is not used, although exact search takes ten times as long. */
export const minRecall = 0.95
/** Shares of the index parts that are tried until recall is good. Larger ones are slower. */
const probeShares = [1 / 16, 1 / 8, 1 / 5, 1 / 3]
const goodRecall = 0.98

/** Training parameters of the index. The sample takes 100 MB of memory for a million chunks. */
export const trainingOptions = { sampleRate: 64, maxIterations: 20, distanceType: 'dot' as const }

type StoredVectorIndex = VectorIndex & {
  format: number
  kind: string
  parts: number
  asked: number
}
const format = 1

/**
 * Builds the index of a table with more than `least` embeddings, measures its recall, and stores
 * its query settings. Rows without an embedding do not count.
 */
export async function writeVectorIndex(
  folder: string,
  table: Table,
  least = vectorIndexRows,
): Promise<void> {
  const rows = await table.countRows()
  const dimensions = await dimensionsOf(table)
  if (dimensions === null || rows <= least) return
  const sample = await sampleEmbeddings(table, { rows, dimensions })
  if (sample === null || sample.embedded <= least) return
  const parts = Math.round(Math.sqrt(rows))
  const { Index } = await loadLance()
  // One bit per dimension: 60 bytes per chunk instead of 1,536. The exact embeddings then rank the
  // candidates.
  const config = Index.ivfRq({ ...trainingOptions, numPartitions: parts, numBits: 1 })
  await table.createIndex('vector', { config })
  const queries = interpolateQueries(sample.embeddings)
  const measured = await measureIndex(table, queries, parts)
  const header: StoredVectorIndex = {
    format,
    kind: 'IVF_RQ',
    parts,
    ...measured,
    asked: queries.length,
  }
  await writeFileAtomically(join(folder, vectorIndexName), `${JSON.stringify(header)}\n`)
}

async function measureIndex(
  table: Table,
  queries: readonly Float32Array[],
  parts: number,
): Promise<VectorIndex> {
  const nearestIds = await exactNearest(table, queries)
  let measured: VectorIndex = { probes: 0, recall: 0 }
  for (const share of probeShares) {
    const probes = Math.ceil(share * parts)
    measured = { probes, recall: await recallOf(table, { queries, nearestIds, probes }) }
    if (measured.recall >= goodRecall) break
  }
  return measured
}

/** Loads a table's vector index into memory before the first query, if there is one. */
export async function warmUp(table: Table): Promise<void> {
  const index = (await table.listIndices()).find(({ columns }) => columns.includes('vector'))
  if (index !== undefined) await table.prewarmIndex(index.name)
}

/**
 * Reads the query settings of a generation's index, or returns null if there is none. `check`
 * throws if the bytes differ from those written.
 */
export async function readVectorIndex(
  folder: string,
  check?: CheckBytes,
): Promise<VectorIndex | null> {
  const bytes = await readOptionalFile(join(folder, vectorIndexName), check)
  if (bytes === null) return null
  const { format: storedFormat, probes, recall }: StoredVectorIndex = JSON.parse(bytes.toString())
  return storedFormat === format ? { probes, recall } : null
}

type RecallSample = {
  queries: readonly Float32Array[]
  nearestIds: readonly bigint[][]
  probes: number
}

async function recallOf(
  table: Table,
  { queries, nearestIds, probes }: RecallSample,
): Promise<number> {
  let nFound = 0
  for (const [i, query] of queries.entries()) {
    const hits = await searchNearest(table, query, { limit: nearestCount, probes })
    const ids = new Set(hits.map(({ rowId }) => rowId))
    nFound += nearestIds[i]!.filter((id) => ids.has(id)).length
  }
  return Math.round((1e4 * nFound) / nearestIds.flat().length) / 1e4
}

export type VectorSearch = {
  nearest(embedding: Float32Array, limit: number, within?: PageLimit): Promise<ChunkHit[]>
  /** Null if the embeddings are not in memory. */
  embeddingsOf(rowIds: bigint[]): Float32Array | null
}

/** `index` reads the query settings of the index; null if the table is too small for one. */
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
      // No chunk has an embedding yet.
      if (generation.embedded === 0) return []
      const hits = await vectors.nearest(embedding, limit, within)
      // Rows without an embedding are zeros, which score exactly 0.
      return generation.embedded === undefined ? hits : hits.filter(({ score }) => score !== 0)
    },
  }
}

/** LanceDB answers the first query. At the second, the process loads the embeddings into memory. */
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
        // Let the next search try again.
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

/** Up to this many pages, a filter in LanceDB is faster than discarding other hits. */
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
