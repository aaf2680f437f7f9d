import { join } from 'node:path'
import type { Table } from '@lancedb/lancedb'
import { writeFileAtomically } from '../../platform/file/files.ts'
import { nearest } from './chunk-search.ts'
import { dimensionsOf } from '../embeddings.ts'
import { readKept, type CheckOfBytes } from '../integrity/file-checks.ts'
import { lance } from '../lance.ts'
import { between, few, nearestTen, sampleOf, type EmbeddingSample } from './recall-sample.ts'

/**
 * Above so many chunks vectors are found by an index of LanceDB beside the embeddings. Up to there
 * exact search wins: 16 ms and 300 MB for 200,000 chunks, and nothing to build.
 */
export const vectorIndexRows = 200_000

/** How a generation's index is asked, and what was measured when it was built. */
export type VectorIndex = {
  /** Parts of the index that are looked into for a query. */
  probes: number
  /** Of the ten nearest chunks the share that it finds. */
  recall: number
}

/** A file of the generation, and so of its manifest. */
export const vectorIndexName = 'vector-index.json'
/** One that finds less is not asked: exact search serves, ten times as slow. */
export const leastRecall = 0.95
/** Shares of the parts to look into: the first that finds enough. More take little longer. */
const sharesTried = [1 / 16, 1 / 8, 1 / 5, 1 / 3]
const goodRecall = 0.98

/** How an index finds its parts: the sample is a memory of 100 MB at a million chunks. */
export const training = { sampleRate: 64, maxIterations: 20, distanceType: 'dot' as const }

type Written = VectorIndex & { format: number; kind: string; parts: number; asked: number }
const format = 1

/** How an index is built, and where; absent: by LanceDB here, in the table itself. */
type IndexBuilding = {
  /** A table has none with fewer embeddings. */
  least?: number
  /** The table that is asked: the same rows under the same numbers. */
  indexed?: Table
  /** @returns its kind, as `IVF_RQ`; null: it cannot be built */
  build?(parts: number): Promise<string | null>
  /** The file in which it is noted how the index is asked. */
  name?: string
}

/**
 * Builds the index of a table that has more embeddings than `least`, measures it and notes how it
 * is to be asked. What is not embedded yet is not asked for either: fewer, and there is none.
 */
export async function writeVectorIndex(
  folder: string,
  table: Table,
  { least = vectorIndexRows, indexed = table, build = buildIn(table), name }: IndexBuilding = {},
): Promise<void> {
  const rows = await table.countRows()
  const dimensions = await dimensionsOf(table)
  if (dimensions === null || rows <= least) return
  const sample = await sampleOf(table, { rows, dimensions })
  if (sample === null || sample.embedded <= least) return
  const parts = Math.round(Math.sqrt(rows))
  const kind = await build(parts)
  if (kind !== null) await writeMeasured(folder, table, { kind, parts, sample, indexed, name })
}

function buildIn(table: Table): (parts: number) => Promise<string> {
  return async (parts) => {
    const { Index } = await lance()
    // A bit a dimension: 60 bytes a chunk in place of 1,536; what it finds is ranked by those.
    const config = Index.ivfRq({ ...training, numPartitions: parts, numBits: 1 })
    await table.createIndex('vector', { config })
    return 'IVF_RQ'
  }
}

type BuiltIndex = {
  kind: string
  parts: number
  sample: EmbeddingSample
  indexed?: Table
  name?: string | undefined
}

/** Measures the index of `indexed` against all rows of `table`, and notes how it is to be asked. */
export async function writeMeasured(
  folder: string,
  table: Table,
  { kind, parts, sample, indexed = table, name = vectorIndexName }: BuiltIndex,
): Promise<VectorIndex> {
  const queries = between(sample.embeddings)
  const nearestIds = await nearestTen(table, queries)
  let measured: VectorIndex = { probes: 0, recall: 0 }
  for (const share of sharesTried) {
    const probes = Math.ceil(share * parts)
    measured = { probes, recall: await recallOf(indexed, { queries, nearestIds, probes }) }
    if (measured.recall >= goodRecall) break
  }
  const written: Written = { format, kind, parts, ...measured, asked: queries.length }
  await writeFileAtomically(join(folder, name), `${JSON.stringify(written)}\n`)
  return measured
}

/** Reads the index of a table into memory, where it has one, before it is asked. */
export async function warm(table: Table): Promise<void> {
  const index = (await table.listIndices()).find(({ columns }) => columns.includes('vector'))
  if (index !== undefined) await table.prewarmIndex(index.name)
}

/**
 * Reads how a generation's index is asked; null where it has none. `check` throws where the bytes
 * are not those that were written.
 */
export async function readVectorIndex(
  folder: string,
  check?: CheckOfBytes,
  name = vectorIndexName,
): Promise<VectorIndex | null> {
  const bytes = await readKept(join(folder, name), check)
  if (bytes === null) return null
  const { format: written, probes, recall }: Written = JSON.parse(bytes.toString())
  return written === format ? { probes, recall } : null
}

/** Whether a text is one that `writeMeasured` may have written, of this format or another. */
export function isVectorIndexText(text: string): boolean {
  try {
    const { format, probes, recall } = JSON.parse(text) as Partial<Written>
    return [format, probes, recall].every(Number.isFinite)
  } catch {
    return false
  }
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
  let held = 0
  for (const [i, query] of queries.entries()) {
    const hits = await nearest(table, query, { limit: few, probes })
    const ids = new Set(hits.map(({ rowId }) => rowId))
    held += nearestIds[i]!.filter((id) => ids.has(id)).length
  }
  return Math.round((1e4 * held) / nearestIds.flat().length) / 1e4
}
