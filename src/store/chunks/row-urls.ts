import type { Table } from '@lancedb/lancedb'
import { collectIfLarge } from '../../platform/garbage.ts'

/** The page address of each row in memory: four bytes per row, and each address once. */
export type RowUrls = (rowIds: BigUint64Array) => string[]

/**
 * Reads the page addresses of a table that is too large for keeping its terms in memory. LanceDB
 * quickly finds the rows that contain a term, but takes twice as long again to read the page of
 * each row.
 * @throws Error if rows have been deleted, which og never does: a table is written once
 */
export async function readRowUrls(table: Table, nRows: number): Promise<RowUrls> {
  const pages = new Uint32Array(nRows)
  const urls: string[] = []
  const numbers = new Map<string, number>()
  /**
   * The first row of each fragment. A row id combines a fragment number and a position in the
   * fragment.
   */
  const firsts = new Map<number, number>()
  let row = 0
  for await (const batch of table.query().select(['url']).withRowId()) {
    const ids = halvesOf(batch.getChild('_rowid')!.toArray() as BigUint64Array)
    const first = row
    for (const url of batch.getChild('url')! as Iterable<string>) {
      const number = numbers.get(url)
      pages[row++] = number ?? urls.push(url) - 1
      if (number === undefined) numbers.set(url, urls.length - 1)
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

/** The low and high half of each number. */
function halvesOf({ buffer, byteOffset, length }: BigUint64Array): Uint32Array {
  return new Uint32Array(buffer, byteOffset, 2 * length)
}

/** A process that lives this long after its first search will probably answer more. */
const patienceMs = 2000

/**
 * Loads the addresses and calls `warm` some time after the first call. Until then, and if loading
 * fails, the function returns null and LanceDB reads addresses. A short process never waits.
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
    // If the table is closed meanwhile, nobody waits for its addresses.
    timer ??= setTimeout(() => void read().catch(() => {}), patienceMs).unref()
    return inMemory
  }
}
