import type { Kernels } from '../platform/kernels/kernels.ts'
import type { ChunkRow } from '../store/chunks/chunk-table.ts'
import type { Collection } from './collection.ts'
import { isNearCopy } from './excerpt/near-copy.ts'
import type { Fused, ScoreParts } from './fuse.ts'
import type { RankingRequest } from './query.ts'

/** A ranked chunk and the collection that contains it. */
export type ScoredChunk = { score: number; collection: Collection; row: ChunkRow; why: ScoreParts }

/**
 * Returns the first `limit` distinct passages, best first. Among near-copies in one collection the
 * best one is kept; among copies in several versions of a library the newest. `collections` lists
 * the versions of a library newest first.
 */
export async function groupChunks(
  ranked: readonly Fused[],
  collections: readonly Collection[],
  { limit, kernels, without }: RankingRequest,
): Promise<ScoredChunk[]> {
  const best = ranked.slice(0, 2 * limit)
  const distinct = without?.includes('copies') ? best : await dropCopies(best, kernels)
  return keepNewestCopies(await readChunks(distinct.slice(0, limit)), collections)
}

/**
 * Drops near-copies of a better chunk in the same collection and lists their URLs in that chunk's
 * `why.copies`.
 */
async function dropCopies(best: readonly Fused[], kernels: Kernels): Promise<Fused[]> {
  const distinct = await Promise.all(
    groupByCollection(best).map(async ([{ open, embed }, mine]) => {
      const isAlone = mine.length === 1
      const block = embed && !isAlone ? await open.embeddings(mine.map(({ rowId }) => rowId)) : null
      if (block === null) return mine
      return groupCopies(kernels, block, block.length / mine.length).map(
        ([distinct, ...copies]) => {
          mine[distinct!]!.why.copies = copies.map((row) => mine[row]!.url)
          return mine[distinct!]!
        },
      )
    }),
  )
  const kept = new Set(distinct.flat())
  return best.filter((candidate) => kept.has(candidate))
}

export async function readChunks(best: readonly Fused[]): Promise<ScoredChunk[]> {
  const rows = new Map<string, ChunkRow>()
  await Promise.all(
    groupByCollection(best).map(async ([{ open }, mine]) => {
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

function groupByCollection(best: readonly Fused[]): [Collection, Fused[]][] {
  return [...Map.groupBy(best, ({ collection }) => collection)]
}

/**
 * Merges near-copies that have the same heading in several versions: the newest takes the rank of
 * the best one.
 */
function keepNewestCopies(
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
 * Drops chunks that have almost nothing to do with the query, which a small library returns for
 * lack of better ones.
 */
export function dropUnrelatedChunks<Chunk extends Pick<ScoredChunk, 'score' | 'why'>>(
  chunks: readonly Chunk[],
): Chunk[] {
  const best = Math.max(0, ...chunks.map(({ score }) => score))
  return chunks.filter(
    ({ score, why }) =>
      best === 0 || score > leastShare * best || why.nameMatch !== null || why.rareName !== null,
  )
}

/**
 * Share of the best score below which a chunk is unrelated. If the best score is 0, all chunks are
 * kept.
 */
const leastShare = 0.02

/** Above this cosine, two passages say the same thing in the same words under the same headings. */
const copyCosine = 0.99

/**
 * Groups the rows of `block`: each group is a row and the later rows that are near-copies of it.
 * Rows are in hit order, best first. `block` is row-major, rows × `dims`, L2-normalised.
 */
export function groupCopies(kernels: Kernels, block: Float32Array, dims: number): number[][] {
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
