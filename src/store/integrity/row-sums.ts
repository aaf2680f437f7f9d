import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Table } from '@lancedb/lancedb'
import type { RecordBatch } from 'apache-arrow'
import { FileFault, checkBytes } from './damage.ts'
import type { Manifest } from './manifest.ts'

/**
 * A checksum per row over the shown columns. LanceDB does not verify the data that it reads, so a
 * flipped bit in a large file would appear in shown text. Rows are compared with their checksums
 * when they are read. The manifest verifies the checksum file itself.
 */
type RowSums = { check(rowIds: readonly bigint[], rows: readonly (Cells | undefined)[]): void }

type Cells = Record<string, unknown>

/** Each table's columns that are shown or that locate shown text. */
const checkedColumns = {
  pages: ['url', 'path', 'title', 'markup', 'text'],
  chunks: [
    'url',
    'title',
    'heading',
    'content',
    'chunk_index',
    'start_offset',
    'end_offset',
    'start_line',
    'end_line',
  ],
}

type Name = keyof typeof checkedColumns

/** The file contains each row's id (uint64) and checksum (uint32), little-endian, ordered by id. */
const rowBytes = 12

export function rowSumsFile(table: Name): string {
  return `${table}.sums`
}

/** Collects the checksums of rows in the order in which they are written. */
export function openRowSumsWriter(name: Name) {
  const sums: number[] = []
  return {
    add(rows: readonly Cells[]): void {
      for (const row of rows) sums.push(sumOf(name, row))
    },
    addBatch(batch: Pick<RecordBatch, 'getChild' | 'numRows'>): void {
      const columns = checkedColumns[name].map((it) => batch.getChild(it)!)
      for (let row = 0; row < batch.numRows; row++) {
        sums.push(sumOfCells(columns.map((column) => column.get(row))))
      }
    },
    async write(folder: string, table: Table): Promise<void> {
      const ids = new BigUint64Array(sums.length)
      let nRows = 0
      for await (const batch of table.query().select(['url']).withRowId()) {
        if (nRows + batch.numRows <= ids.length) ids.set(batch.getChild('_rowid')!.toArray(), nRows)
        nRows += batch.numRows
      }
      if (nRows !== ids.length) throw new Error(`${name} has ${nRows} rows, not ${ids.length}`)
      const bytes = Buffer.alloc(ids.length * rowBytes)
      // LanceDB numbers rows in the order in which they were written.
      ids.sort().forEach((id, row) => {
        bytes.writeBigUInt64LE(id, row * rowBytes)
        bytes.writeUInt32LE(sums[row]!, row * rowBytes + 8)
      })
      await writeFile(join(folder, rowSumsFile(name)), bytes)
    },
  }
}

export function openRowSums(name: Name, bytes: Buffer): RowSums {
  return {
    check(rowIds, rows) {
      rowIds.forEach((id, i) => {
        const row = rows[i]
        const isSound = row !== undefined && sumFor(bytes, id) === sumOf(name, row)
        if (!isSound) throw new FileFault(`a row of ${name}.lance has changed since it was written`)
      })
    },
  }
}

function sumFor(bytes: Buffer, id: bigint): number | null {
  let [low, high] = [0, bytes.length / rowBytes]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (bytes.readBigUInt64LE(middle * rowBytes) < id) low = middle + 1
    else high = middle
  }
  const at = low * rowBytes
  if (at >= bytes.length || bytes.readBigUInt64LE(at) !== id) return null
  return bytes.readUInt32LE(at + 8)
}

function sumOf(name: Name, row: Cells): number {
  return sumOfCells(checkedColumns[name].map((column) => row[column]))
}

/** The table stores replacement characters for lone surrogates, so hash those. */
function sumOfCells(cells: unknown[]): number {
  const values = cells.map((cell) => (typeof cell === 'string' ? cell.toWellFormed() : cell))
  return Bun.hash.crc32(JSON.stringify(values))
}

export type RowCheck = (
  rowIds: readonly bigint[],
  rows: readonly (Record<string, unknown> | undefined)[],
) => Promise<void>

/**
 * Returns a function that checks rows of a table. The first check reads the checksums. An
 * unpublished generation has no manifest, so its checks do nothing.
 */
export function rowChecks(
  path: string,
  manifest: Manifest | null,
): (name: 'pages' | 'chunks') => RowCheck {
  const sumsByTable = new Map<string, Promise<RowSums>>()
  return (name: 'pages' | 'chunks'): RowCheck => {
    const file = manifest?.files.find((it) => it.path === rowSumsFile(name))
    if (file === undefined) return async () => {}
    return async (rowIds, rows) => {
      const sums = sumsByTable.getOrInsertComputed(name, () =>
        readFile(join(path, file.path)).then((bytes) => {
          checkBytes(file, bytes)
          return openRowSums(name, bytes)
        }),
      )
      ;(await sums).check(rowIds, rows)
    }
  }
}
