import type { Table } from '@lancedb/lancedb'
import { collectIfLarge } from '../../platform/garbage.ts'
import { hitColumns, type ChunkRow } from './chunk-table.ts'

/** Returns the page URLs of rows. Memory holds four bytes per row and each URL once. */
export type RowUrls = (rowIds: BigUint64Array) => string[]

/**
 * Reads the page URLs of a table whose terms do not fit into memory. LanceDB finds the rows with a
 * term quickly but takes twice as long to read their URLs.
 * @throws Error if rows were deleted. og never does this because it writes a table only once.
 */
export async function readRowUrls(table: Table, nRows: number): Promise<RowUrls> {
  const pages = new Uint32Array(nRows)
  const urls: string[] = []
  const numbers = new Map<string, number>()
  /** First row of each fragment. A row id combines a fragment number and a position. */
  const firsts = new Map<number, number>()
  let row = 0
  for await (const batch of table.query().select(['url']).withRowId()) {
    const ids = halvesOf(batch.getChild('_rowid')!.toArray() as BigUint64Array)
    const first = row
    for (const url of batch.getChild('url')! as Iterable<string>) {
      pages[row++] = numbers.getOrInsertComputed(url, () => urls.push(url) - 1)
    }
    for (let at = first; at < row; at++) {
      const [place, fragment] = [ids[2 * (at - first)]!, ids[2 * (at - first) + 1]!]
      if (place === 0) firsts.set(fragment, at)
      if (firsts.get(fragment) !== at - place) throw new Error(`row ${at} is not in its place`)
    }
    await new Promise(setImmediate)
  }
  collectIfLarge()
  return (rowIds) => {
    const ids = halvesOf(rowIds)
    return Array.from(rowIds, (_, i) => urls[pages[firsts.get(ids[2 * i + 1]!)! + ids[2 * i]!]!]!)
  }
}

/** A process that still runs this long after its first search will probably search again. */
const patienceMs = 2000

/**
 * Loads the URLs and calls `warm` some time after the first call. Until the URLs are loaded, or if
 * loading fails, returns null, and LanceDB reads the URLs. A short-lived process never waits.
 */
export function openRowUrls(
  nRows: number,
  { open, warm }: { open: () => Promise<Table>; warm(table: Table): Promise<void> },
): () => RowUrls | null {
  let timer: Timer | null = null
  let inMemory: RowUrls | null = null
  const read = async () => {
    const table = await open()
    await warm(table)
    inMemory = await readRowUrls(table, nRows)
  }
  return () => {
    timer ??= setTimeout(() => void read().catch(() => {}), patienceMs).unref()
    return inMemory
  }
}

/** Returns the first index whose id is at least `id`. `rowIds` ascend. */
export function rowIndexOf(rowIds: BigUint64Array, id: bigint): number {
  let low = 0
  let high = rowIds.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (rowIds[middle]! < id) low = middle + 1
    else high = middle
  }
  return low
}

export function halvesOf({ buffer, byteOffset, length }: BigUint64Array): Uint32Array {
  return new Uint32Array(buffer, byteOffset, 2 * length)
}

/** All rows of a table in memory, with the columns shown in hits. `rowIds` ascend. */
export type ChunkBlock = { rowIds: BigUint64Array; rows: ChunkRow[] }

const rowsAtOnce = 256

/**
 * Reads the columns shown in hits for every row of a table. `check` throws if rows differ from
 * their checksums. Yields to other work between batches.
 */
export async function readChunkBlock(
  table: Table,
  nRows: number,
  check: (rowIds: readonly bigint[], rows: readonly ChunkRow[]) => Promise<void>,
): Promise<ChunkBlock> {
  const rowIds = new BigUint64Array(nRows)
  const rows: ChunkRow[] = []
  for await (const batch of table.query().select(hitColumns).withRowId()) {
    const columns = hitColumns.map((name) => [name, batch.getChild(name)!] as const)
    const ids = batch.getChild('_rowid')!.toArray() as BigUint64Array
    rowIds.set(ids, rows.length)
    for (let from = 0; from < batch.numRows; from += rowsAtOnce) {
      const to = Math.min(batch.numRows, from + rowsAtOnce)
      const out: ChunkRow[] = []
      for (let at = from; at < to; at++) {
        out.push(Object.fromEntries(columns.map(([name, of]) => [name, of.get(at)])) as ChunkRow)
      }
      await check([...ids.subarray(from, to)], out)
      rows.push(...out)
      await new Promise(setImmediate)
    }
  }
  collectIfLarge()
  return { rowIds, rows }
}

export function chunksInBlock(
  { rowIds, rows }: ChunkBlock,
  ids: readonly bigint[],
): ChunkRow[] | null {
  const places = ids.map((id) => rowIndexOf(rowIds, id))
  return places.every((at, i) => rowIds[at] === ids[i]) ? places.map((at) => rows[at]!) : null
}
