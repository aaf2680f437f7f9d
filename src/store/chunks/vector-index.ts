import { join } from 'node:path'
import type { Table } from '@lancedb/lancedb'
import { writeFileAtomically } from '../../platform/file/files.ts'
import { searchNearest } from './chunk-search.ts'
import { dimensionsOf } from '../embeddings.ts'
import { readOptionalFile, type CheckBytes } from '../integrity/file-checks.ts'
import { loadLance } from '../lance.ts'
import {
  interpolateQueries,
  nearestCount,
  exactNearest,
  sampleEmbeddings,
} from './recall-sample.ts'

/**
 * If a library has more chunks than this, its vectors are searched with a LanceDB index. For fewer
 * chunks, exact search is better: 200,000 chunks take 16 ms and 300 MB, and there is nothing to
 * build.
 */
export const vectorIndexRows = 200_000

/** How to query the index of a generation, and the recall measured when it was built. */
export type VectorIndex = { probes: number; recall: number }

/** This file belongs to the generation, so its manifest lists it. */
export const vectorIndexName = 'vector-index.json'
/** An index with a lower recall is not used, although exact search is ten times as slow. */
export const minRecall = 0.95
/**
 * Shares of the index parts to try, in this order, until the recall is good. Larger shares take
 * only slightly longer.
 */
const probeShares = [1 / 16, 1 / 8, 1 / 5, 1 / 3]
const goodRecall = 0.98

/** Training parameters of the index. This sample takes 100 MB of memory for a million chunks. */
export const trainingOptions = { sampleRate: 64, maxIterations: 20, distanceType: 'dot' as const }

type StoredVectorIndex = VectorIndex & {
  format: number
  kind: string
  parts: number
  asked: number
}
const format = 1

/**
 * If a table has more than `least` embeddings, builds its index, measures it, and stores how to
 * query it. Rows without an embedding are not counted.
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
  // One bit per dimension: 60 bytes per chunk instead of 1,536. The candidates are then ranked by
  // their exact embeddings.
  const config = Index.ivfRq({ ...trainingOptions, numPartitions: parts, numBits: 1 })
  await table.createIndex('vector', { config })
  const queries = interpolateQueries(sample.embeddings)
  const measured = await measureIndex(table, queries, parts)
  const stored: StoredVectorIndex = {
    format,
    kind: 'IVF_RQ',
    parts,
    ...measured,
    asked: queries.length,
  }
  await writeFileAtomically(join(folder, vectorIndexName), `${JSON.stringify(stored)}\n`)
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

/** If a table has a vector index, loads it into memory before the first query. */
export async function warmUp(table: Table): Promise<void> {
  const index = (await table.listIndices()).find(({ columns }) => columns.includes('vector'))
  if (index !== undefined) await table.prewarmIndex(index.name)
}

/**
 * Reads how to query the index of a generation; returns null if there is no index. `check` throws
 * if the bytes differ from those written.
 */
export async function readVectorIndex(
  folder: string,
  check?: CheckBytes,
): Promise<VectorIndex | null> {
  const bytes = await readOptionalFile(join(folder, vectorIndexName), check)
  if (bytes === null) return null
  const { format: written, probes, recall }: StoredVectorIndex = JSON.parse(bytes.toString())
  return written === format ? { probes, recall } : null
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
