import type { Table } from '@lancedb/lancedb'
import { collectBetween } from '../../platform/garbage.ts'
import { openKernels } from '../../platform/kernels/kernels.ts'
import { embeddingsOf, isZero } from '../lance.ts'

/** Number of embeddings sampled evenly from the table for test queries. */
const sampleSize = 60

/** `embedded` is the number of rows with an embedding. */
export type EmbeddingSample = { embeddings: Float32Array[]; embedded: number }

/** Returns null if the table has too few embeddings for test queries. */
export async function sampleEmbeddings(
  table: Table,
  { rows, dimensions }: { rows: number; dimensions: number },
): Promise<EmbeddingSample | null> {
  const step = Math.max(1, Math.floor(rows / sampleSize))
  const embeddings: Float32Array[] = []
  let [embedded, next, row] = [0, 0, 0]
  for await (const batch of collectBetween(table.query().select(['vector']))) {
    const block = embeddingsOf(batch, dimensions)
    for (let at = 0; at < batch.numRows; at++, row++) {
      const embedding = block.subarray(at * dimensions, (at + 1) * dimensions)
      if (isZero(embedding)) continue
      embedded++
      if (row < next) continue
      embeddings.push(embedding.slice())
      next = row + step
    }
  }
  return embeddings.length < embeddingsPerQuery ? null : { embeddings, embedded }
}

const embeddingsPerQuery = 3

/**
 * Builds each test query as a mixture of three embeddings, because a real question is near several
 * chunks and equal to none. An index finds far more neighbours of exact embeddings than of real
 * questions. For mixtures, it finds slightly fewer.
 */
export function interpolateQueries(embeddings: readonly Float32Array[]): Float32Array[] {
  return embeddings.slice(embeddingsPerQuery - 1).map((one, i) => {
    const some = embeddings.slice(i, i + embeddingsPerQuery)
    const sum = one.map((_, at) => some.reduce((total, it) => total + it[at]!, 0))
    const length = Math.sqrt(sum.reduce((squares, value) => squares + value * value, 0)) || 1
    return sum.map((value) => value / length)
  })
}

export const nearestCount = 10

export async function exactNearest(
  table: Table,
  queries: readonly Float32Array[],
): Promise<bigint[][]> {
  const kernels = openKernels(null)
  const best = queries.map(() => [] as { id: bigint; score: number }[])
  for await (const batch of collectBetween(table.query().select(['vector']).withRowId())) {
    const block = embeddingsOf(batch, queries[0]!.length)
    const ids = batch.getChild('_rowid')!.toArray() as BigUint64Array
    queries.forEach((query, i) => {
      const { rows, scores } = kernels.topk(query, block, { dims: query.length, k: nearestCount })
      rows.forEach((row, at) => best[i]!.push({ id: ids[row]!, score: scores[at]! }))
      best[i] = best[i]!.sort((a, b) => b.score - a.score).slice(0, nearestCount)
    })
    await new Promise(setImmediate)
  }
  return best.map((list) => list.map(({ id }) => id))
}
