import type { Table } from '@lancedb/lancedb'
import { collectMuch } from '../../platform/garbage.ts'

/** The address of each row's page, in memory: four bytes a row, and each address once. */
export type RowUrls = (rowIds: BigUint64Array) => string[]

/**
 * Of a table that is too large for its terms in memory. LanceDB says fast which rows hold a term,
 * and takes twice as long again to read what page each is of.
 * @throws Error where rows have been deleted, which nobody does: a table is written once
 */
export async function readRowUrls(table: Table, nRows: number): Promise<RowUrls> {
  const pages = new Uint32Array(nRows)
  const urls: string[] = []
  const numbers = new Map<string, number>()
  /** Of each fragment its first row; an id is a fragment's number and a place in it. */
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
  collectMuch()
  return (rowIds) => {
    const ids = halvesOf(rowIds)
    return Array.from(rowIds, (_, i) => urls[pages[firsts.get(ids[2 * i + 1]!)! + ids[2 * i]!]!]!)
  }
}

/** Of each number the low half and the high half. */
function halvesOf({ buffer, byteOffset, length }: BigUint64Array): Uint32Array {
  return new Uint32Array(buffer, byteOffset, 2 * length)
}

/** A process that lives so long after its first search answers others. */
const patienceMs = 2000

/**
 * They are read, and `warm` is called, some time after they are first asked for; until then, and
 * where that fails, there are none and LanceDB reads addresses. A short process never waits.
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
    // A table that is closed meanwhile has nobody who waits for its addresses.
    timer ??= setTimeout(() => void read().catch(() => {}), patienceMs).unref()
    return inMemory
  }
}
