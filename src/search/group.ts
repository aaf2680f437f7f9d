import { isApiPagePath } from '../api/api-path.ts'
import { shortName } from '../chunk/api-text.ts'
import type { Kernels } from '../platform/kernels/kernels.ts'
import type { ChunkRow } from '../store/chunks/chunk-table.ts'
import type { Candidate, WithRow } from './candidate.ts'
import type { Collection } from './collection.ts'
import { isNearCopy } from './excerpt/near-copy.ts'
import type { RankingRequest } from './query.ts'

/**
 * Returns the first `limit` distinct passages, best first. Keeps the best of several
 * near-duplicates in one collection, and the newest duplicate in versions of one library.
 * `collections` lists a library's versions newest first.
 */
export async function groupChunks(
  ranked: readonly Candidate[],
  collections: readonly Collection[],
  { limit, kernels, without, text }: RankingRequest,
): Promise<(Candidate & WithRow)[]> {
  const best = ranked.slice(0, 2 * limit)
  const distinct = without?.includes('copies') ? best : await dropCopies(best, { kernels, text })
  return keepNewestCopies(await readChunks(distinct.slice(0, limit)), collections)
}

/** Drops near-copies of a better chunk in the same collection and lists them in `why.copies`. */
async function dropCopies(
  best: readonly Candidate[],
  { kernels, text }: Pick<RankingRequest, 'kernels' | 'text'>,
): Promise<Candidate[]> {
  const lists = await Promise.all(
    groupByCollection(best).map(async ([{ open, embed }, mine]) => {
      const isAlone = mine.length === 1
      const block = embed && !isAlone ? await open.embeddings(mine.map(({ rowId }) => rowId)) : null
      if (block === null) return mine.map((fused) => [fused, fused] as const)
      const symbols = await symbolsOf(mine)
      const dims = block.length / mine.length
      const names = symbols.map((symbol) => symbol?.short)
      return groupCopies(kernels, block, { dims, names }).map(
        (rows) => [mine[rows[0]!]!, representative(rows, mine, { symbols, text })] as const,
      )
    }),
  )
  const representatives = new Map(lists.flat())
  return best.flatMap((candidate) => representatives.get(candidate) ?? [])
}

/** The symbol that a chunk of the API reference documents. `short` has no module. */
type Symbol = { name: string; short: string }

/** Returns the symbols of API reference chunks, and undefined for other chunks. */
async function symbolsOf(chunks: readonly Candidate[]): Promise<(Symbol | undefined)[]> {
  const ofApi = chunks.filter(({ url }) => isApiPagePath(url))
  const read = await readChunks(ofApi)
  const byKey = new Map(
    read.map(({ row }, i) => {
      const name = row.heading.split(' > ').at(-1) || row.title
      return [ofApi[i]!.key, { name, short: shortName(name, row.title) }]
    }),
  )
  return chunks.map(({ key }) => byKey.get(key))
}

/**
 * Returns the chunk that represents a group of copies, at the rank of the best copy. This is the
 * symbol whose full name is the query, and otherwise the symbol in the main module of the current
 * version.
 */
function representative(
  rows: readonly number[],
  mine: readonly Candidate[],
  { symbols, text }: { symbols: readonly (Symbol | undefined)[]; text: string },
): Candidate {
  const inner = (row: number) => {
    if (symbols[row]?.name === text.trim()) return -1
    const { isInner, major } = mine[row]!.collection.facts.get(mine[row]!.url)!
    return Number(isInner) + Number(major !== null)
  }
  const [first] = rows
  const isSymbol = rows.length > 1 && symbols[first!] !== undefined
  const best = isSymbol ? rows.toSorted((a, b) => inner(a) - inner(b))[0]! : first!
  const others = rows.filter((row) => row !== best)
  const fused = mine[best]!
  fused.score = Math.max(fused.score, mine[first!]!.score)
  fused.why.copies = others.map((row) => mine[row]!.url)
  const names = new Set(others.flatMap((row) => symbols[row]?.name ?? []))
  fused.why.twins = [...names].filter((name) => name !== symbols[best]?.name)
  return fused
}

export async function readChunks(best: readonly Candidate[]): Promise<(Candidate & WithRow)[]> {
  const rows = new Map<string, ChunkRow>()
  await Promise.all(
    groupByCollection(best).map(async ([{ open }, mine]) => {
      const read = await open.chunks(mine.map(({ rowId }) => rowId))
      mine.forEach(({ key }, i) => rows.set(key, read[i]!))
    }),
  )
  return best.map((candidate) => ({ ...candidate, row: rows.get(candidate.key)! }))
}

function groupByCollection(best: readonly Candidate[]): [Collection, Candidate[]][] {
  return [...Map.groupBy(best, ({ collection }) => collection)]
}

/** Merges near-copies with the same heading in several versions. The newest takes the best rank. */
function keepNewestCopies(
  ranked: readonly (Candidate & WithRow)[],
  collections: readonly Collection[],
): (Candidate & WithRow)[] {
  const copies = new Map<string, (Candidate & WithRow)[]>()
  const passages: (Candidate & WithRow)[] = []
  const age = ({ collection }: Candidate) => collections.indexOf(collection)
  for (const chunk of ranked) {
    const place = `${chunk.collection.entry.key}/${chunk.row.heading}`
    const others = copies.getOrInsert(place, [])
    const same = others.find((other) => isVersionCopy(other, chunk))
    if (same === undefined) {
      others.push(chunk)
      passages.push(chunk)
    } else if (age(chunk) < age(same)) {
      const newer = { ...chunk, score: same.score }
      others[others.indexOf(same)] = newer
      passages[passages.indexOf(same)] = newer
    }
  }
  return passages
}

function isVersionCopy(a: Candidate & WithRow, b: Candidate & WithRow): boolean {
  return a.collection !== b.collection && isNearCopy(a.row.content, b.row.content)
}

/** Drops chunks that are almost unrelated to the query. Small libraries return such chunks. */
export function dropUnrelatedChunks<Chunk extends Pick<Candidate, 'score' | 'why'>>(
  chunks: readonly Chunk[],
): Chunk[] {
  const best = Math.max(0, ...chunks.map(({ score }) => score))
  return chunks.filter(
    ({ score, why }) =>
      best === 0 || score > leastShare * best || why.nameMatch !== null || why.rareName !== null,
  )
}

/** A chunk below this share of the best score is unrelated. If that score is 0, all stay. */
const leastShare = 0.02

/**
 * Above `copy`, two passages say the same thing in the same words under the same headings. Above
 * `twin`, two symbols with the same name in two modules do.
 */
const leastCosine = { copy: 0.99, twin: 0.9 }

/**
 * Groups the rows of `block`. Each group is a row and the later rows that are near-copies of it.
 * Rows are in hit order, best first. `block` is row-major, rows × `dims`, L2-normalised. `names`
 * contains the symbols' names without modules.
 */
export function groupCopies(
  kernels: Kernels,
  block: Float32Array,
  { dims, names = [] }: { dims: number; names?: readonly (string | undefined)[] },
): number[][] {
  const rows = block.length / dims
  const cosines = kernels.pairwise(block, dims)
  const groups: number[][] = []
  for (let row = 0; row < rows; row++) {
    const own = groups.find(([first]) => {
      const isTwin = names[row] !== undefined && names[row] === names[first!]
      return cosines[first! * rows + row]! > leastCosine[isTwin ? 'twin' : 'copy']
    })
    if (own) own.push(row)
    else groups.push([row])
  }
  return groups
}
