import type { Kernels } from '../platform/kernels/kernels.ts'
import type { ChunkRow } from '../store/chunks/chunk-table.ts'
import type { Collection } from './collection.ts'
import { isNearCopy } from './excerpt/near-copy.ts'
import type { Fused, Why } from './fuse.ts'
import type { Query } from './query.ts'

/** A ranked chunk and the collection that holds it. */
export type ScoredChunk = { score: number; collection: Collection; row: ChunkRow; why: Why }

/**
 * The first `limit` passages. Of near-copies in one collection the best is kept, of a passage that
 * stands in several versions of a library the newest. The `collections` of one library stand with
 * the newest version first. Best first.
 */
export async function group(
  ranked: readonly Fused[],
  collections: readonly Collection[],
  { limit, kernels, without }: Query,
): Promise<ScoredChunk[]> {
  const best = ranked.slice(0, 2 * limit)
  const distinct = without?.includes('copies') ? best : await dropCopies(best, kernels)
  return newestOfCopies(await readChunks(distinct.slice(0, limit)), collections)
}

/** Without near-copies of a better one of the same collection, which then says so. */
async function dropCopies(best: readonly Fused[], kernels: Kernels): Promise<Fused[]> {
  const distinct = await Promise.all(
    byCollection(best).map(async ([{ open, embed }, mine]) => {
      const block = embed && (await open.embeddings(mine.map(({ rowId }) => rowId)))
      if (block === null) return mine
      return withCopies(kernels, block, block.length / mine.length).map(([kept, ...copies]) => {
        mine[kept!]!.why.copies = copies.map((row) => mine[row]!.url)
        return mine[kept!]!
      })
    }),
  )
  const kept = new Set(distinct.flat())
  return best.filter((candidate) => kept.has(candidate))
}

export async function readChunks(best: readonly Fused[]): Promise<ScoredChunk[]> {
  const rows = new Map<string, ChunkRow>()
  await Promise.all(
    byCollection(best).map(async ([{ open }, mine]) => {
      const read = await open.chunks(mine.map(({ rowId }) => rowId))
      mine.forEach(({ key }, i) => rows.set(key, read[i]!))
    }),
  )
  return best.map(({ key, score, collection, why }) => ({
    score,
    why,
    collection,
    row: rows.get(key)!,
  }))
}

function byCollection(best: readonly Fused[]): [Collection, Fused[]][] {
  return [...Map.groupBy(best, ({ collection }) => collection)]
}

/** Near-copies under one heading in several versions as one, where the best of them stood. */
function newestOfCopies(
  ranked: readonly ScoredChunk[],
  collections: readonly Collection[],
): ScoredChunk[] {
  const copies = new Map<string, ScoredChunk[]>()
  const kept: ScoredChunk[] = []
  const age = ({ collection }: ScoredChunk) => collections.indexOf(collection)
  for (const chunk of ranked) {
    const place = `${chunk.collection.entry.key}/${chunk.row.heading}`
    const others = copies.get(place) ?? []
    copies.set(place, others)
    const same = others.find((other) => isVersionCopy(other, chunk))
    if (same === undefined) {
      others.push(chunk)
      kept.push(chunk)
    } else if (age(chunk) < age(same)) {
      const newer = { ...chunk, score: same.score }
      others[others.indexOf(same)] = newer
      kept[kept.indexOf(same)] = newer
    }
  }
  return kept
}

function isVersionCopy(a: ScoredChunk, b: ScoredChunk): boolean {
  return a.collection !== b.collection && isNearCopy(a.row.content, b.row.content)
}

/**
 * The chunks without those that have next to nothing in common with the query, which a small
 * library returns for want of better ones.
 */
export function telling<Chunk extends Pick<ScoredChunk, 'score' | 'why'>>(
  chunks: readonly Chunk[],
): Chunk[] {
  const best = Math.max(0, ...chunks.map(({ score }) => score))
  return chunks.filter(
    ({ score, why }) =>
      best === 0 || score > leastShare * best || why.named !== null || why.rareName !== null,
  )
}

/** Of the best score; nothing is left out where the best is nothing. */
const leastShare = 0.02

/** Above this cosine two passages say the same in the same words, under the same headings. */
const copyCosine = 0.99

/**
 * The rows of `block` in groups: a row, then those after it that are near-copies of it. Rows are
 * ordered best hit first. `block` is row-major, rows × `dims`, L2-normalised.
 */
export function withCopies(kernels: Kernels, block: Float32Array, dims: number): number[][] {
  const rows = block.length / dims
  const cosines = kernels.pairwise(block, dims)
  const groups: number[][] = []
  for (let row = 0; row < rows; row++) {
    const own = groups.find(([kept]) => cosines[kept! * rows + row]! > copyCosine)
    if (own) own.push(row)
    else groups.push([row])
  }
  return groups
}
