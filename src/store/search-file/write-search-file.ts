import { readFileSync, readdirSync, statSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Table } from '@lancedb/lancedb'
import type { RecordBatch } from 'apache-arrow'
import { collectBetween, collectIfLarge } from '../../platform/garbage.ts'
import { hitColumns, type ChunkRow } from '../chunks/chunk-table.ts'
import { halvesOf } from '../chunks/row-urls.ts'
import { dimensionsOf, embeddingsOf, isZero } from '../lance.ts'
import type { PageRow } from '../pages/page-table.ts'
import { openPostingsBuilder } from '../postings.ts'
import {
  encodeSearchFile,
  joinBlocks,
  packBlock,
  searchFileName,
  type SearchContent,
  type StoredChunk,
  type StoredPage,
  type TableWrite,
} from './format.ts'

/**
 * Larger libraries have no search file because a new process reads and verifies all of it. Chunk
 * numbers must fit into 16 bits.
 */
const mostChunks = 20_000

/**
 * Writes a generation's search file. Skips it if the library is large, if the chunks of a page are
 * not adjacent, or if the table's files do not contain the embeddings as plain numbers.
 */
export async function writeSearchFile(
  folder: string,
  { pages, chunks }: { pages: Table; chunks: Table },
): Promise<void> {
  const nRows = await chunks.countRows()
  if (nRows === 0 || nRows > mostChunks || (await pages.countRows()) > mostChunks) return
  const collected = openCollector(folder, nRows, (await dimensionsOf(chunks)) ?? 0)
  for await (const batch of collectBetween(pages.query().withRowId())) {
    for (const row of batch) collected.addPage(row.toJSON() as StoredRow)
  }
  const vector = collected.dimensions > 0 ? ['vector'] : []
  const query = chunks.query().select([...hitColumns, 'terms', ...vector])
  for await (const batch of collectBetween(query.withRowId())) {
    if (!collected.addChunks(batch)) return
  }
  const content = collected.finished()
  if (content !== null) await writeFile(join(folder, searchFileName), encodeSearchFile(content))
  collectIfLarge()
}

type StoredRow = PageRow & { _rowid: bigint }
type CollectedPage = { page: StoredPage; text: Uint8Array; chunks: Uint8Array }

function openCollector(folder: string, nRows: number, dimensions: number) {
  const collectedPages = new Map<string, CollectedPage>()
  const postings = openPostingsBuilder(nRows)
  const vectors = openWriteCollector(join(folder, 'chunks.lance', 'data'), dimensions)
  let open: { of: CollectedPage; text: string; chunks: StoredChunk[] } | null = null
  let nAdded = 0
  const closePage = () => {
    if (open !== null) open.of.chunks = packBlock(JSON.stringify(open.chunks))
    open = null
  }
  /** Starts a page at its first chunk. @returns null if the page is missing or has already ended */
  const openPage = (url: string) => {
    if (open?.of.page.url === url) return open
    closePage()
    const of = collectedPages.get(url)
    if (of === undefined || of.page.chunks > 0) return null
    of.page.first = nAdded
    return (open = { of, text: Bun.zstdDecompressSync(of.text).toString(), chunks: [] })
  }
  const addChunk = (row: ChunkRow) => {
    const page = openPage(row.url)
    if (page === null) return false
    page.chunks.push(toStoredChunk(row, page.of.page.title, page.text))
    page.of.page.chunks++
    postings.add(nAdded++, row.terms)
    return true
  }
  return {
    dimensions,
    addPage({ _rowid, text, ...row }: StoredRow): void {
      const page = { ...row, rowId: Number(_rowid), first: 0, chunks: 0 }
      collectedPages.set(row.url, { page, text: packBlock(text), chunks: packBlock('[]') })
    },
    /** Returns false if the file cannot describe these rows. */
    addChunks(batch: RecordBatch): boolean {
      return (
        batch.toArray().every((row) => addChunk(row.toJSON() as ChunkRow)) && vectors.add(batch)
      )
    },
    finished(): SearchContent | null {
      closePage()
      const writes = vectors.finished()
      const all = [...collectedPages.values()]
      return (
        writes && {
          pages: all.map(({ page }) => page),
          writes,
          dimensions,
          texts: joinBlocks(all.map(({ text }) => text)),
          chunks: joinBlocks(all.map(({ chunks }) => chunks)),
          postings: postings.finished(Uint16Array),
        }
      )
    },
  }
}

function toStoredChunk(row: ChunkRow, title: string, text: string): StoredChunk {
  const { heading, chunk_index, start_offset, end_offset, start_line, end_line } = row
  const place = [chunk_index, start_offset, end_offset, start_line, end_line] as const
  const isCut = text.slice(start_offset, end_offset) === row.content
  return [heading, ...place, row.title === title ? null : row.title, isCut ? null : row.content]
}

function openWriteCollector(folder: string, dimensions: number) {
  const writes: TableWrite[] = []
  const findBlock = openBlockFinder(folder, 4 * dimensions)
  const blocks: Float32Array[] = []
  let isFound = true
  const closeWrite = () => {
    if (writes.length === 0) return void blocks.splice(0)
    const place = findBlock(blocks.splice(0))
    if (place === null) isFound = false
    else Object.assign(writes.at(-1)!, place)
  }
  return {
    add(batch: RecordBatch): boolean {
      const ids = halvesOf(batch.getChild('_rowid')!.toArray() as BigUint64Array)
      const numbers = dimensions > 0 ? embeddingsOf(batch, dimensions).slice() : new Float32Array()
      let from = 0
      for (let row = 0; row < batch.numRows; row++) {
        const [place, id] = [ids[2 * row]!, ids[2 * row + 1]!]
        if (writes.at(-1)?.id !== id) {
          blocks.push(numbers.subarray(from * dimensions, row * dimensions))
          closeWrite()
          writes.push({ id, rows: 0, file: null, at: 0 })
          from = row
        }
        if (writes.at(-1)!.rows++ !== place) return false
      }
      blocks.push(numbers.subarray(from * dimensions))
      return true
    },
    finished(): TableWrite[] | null {
      closeWrite()
      return isFound ? writes : null
    },
  }
}

/**
 * Returns a function that finds the bytes of embeddings in a folder's files, or null if no file
 * contains them. Tries each file once, in the order of writing, because each write creates a file.
 */
function openBlockFinder(folder: string, rowBytes: number) {
  const stat = (name: string) => statSync(join(folder, name), { bigint: true }).mtimeNs
  const files = new Set(
    readdirSync(folder)
      .map((name) => ({ name, writtenAt: stat(name) }))
      .sort((a, b) => (a.writtenAt < b.writtenAt ? -1 : 1))
      .map(({ name }) => name),
  )
  return (blocks: readonly Float32Array[]): Pick<TableWrite, 'file' | 'at'> | null => {
    const bytes = Buffer.concat(
      blocks.map(({ buffer, byteOffset, byteLength }) =>
        Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength),
      ),
    )
    // Zeros would match in too many places.
    const at = firstNonZero(bytes, rowBytes)
    if (at === null) return { file: null, at: 0 }
    for (const file of files) {
      const content = readFileSync(join(folder, file))
      const start = content.indexOf(bytes.subarray(at, at + rowBytes)) - at
      if (start < 0 || !content.subarray(start, start + bytes.length).equals(bytes)) continue
      files.delete(file)
      return { file, at: start }
    }
    return null
  }
}

/** Returns the start of the first row with a nonzero number, or null. */
function firstNonZero(bytes: Buffer, rowBytes: number): number | null {
  for (let at = 0; at < bytes.length; at += rowBytes) {
    const row = new Float32Array(bytes.buffer, bytes.byteOffset + at, rowBytes / 4)
    if (!isZero(row)) return at
  }
  return null
}
