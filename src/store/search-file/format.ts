import { decodeArrayFile, encodeArrayFile, numbersAt } from '../../platform/file/array-file.ts'
import type { PageRow } from '../pages/page-table.ts'
import type { Postings } from '../postings.ts'

/**
 * A copy of the data that a search needs, in one file of the generation. With it, a search does not
 * load LanceDB, which takes half of `og query`'s time and memory. Embeddings are not copied: a
 * `TableWrite` locates them in the table's files.
 */
export type SearchContent = {
  pages: StoredPage[]
  writes: TableWrite[]
  /** Number of dimensions of an embedding; 0 if the chunks have none. */
  dimensions: number
  texts: Packed
  chunks: Packed
  postings: Postings
}

/** A page without its text. Its chunks are the rows from `first` to `first + chunks`. */
export type StoredPage = Omit<PageRow, 'text'> & { rowId: number; first: number; chunks: number }

/**
 * A chunk. If its title is null, it has the page's title. If `content` is null, the offsets cut the
 * content from the page.
 */
export type StoredChunk = [
  heading: string,
  chunkIndex: number,
  startOffset: number,
  endOffset: number,
  startLine: number,
  endLine: number,
  title: string | null,
  content: string | null,
]

/**
 * Rows that were written together. The upper half of each row id is `id`, and the lower half counts
 * from 0. The embeddings start at byte `at` of `file` in the table's data folder. `file` is null if
 * all their numbers are 0.
 */
export type TableWrite = { id: number; rows: number; file: string | null; at: number }

/** Consecutive blocks of bytes. Block `i` starts at `starts[i]`. */
type Packed = { starts: Uint32Array; bytes: Uint8Array }

export const searchFileName = 'search.bin'
/** A file in a different format counts as missing. */
const format = 1

type Head = Pick<SearchContent, 'pages' | 'writes' | 'dimensions'> & { format: number }

export function encodeSearchFile(content: SearchContent): Generator<Buffer> {
  const { pages, writes, dimensions, texts, chunks, postings } = content
  const { hashes, starts, lengths, documents, counts } = postings
  const head: Head = { format, pages, writes, dimensions }
  const packed = [texts.starts, chunks.starts, texts.bytes, chunks.bytes]
  return encodeArrayFile(head, [hashes, starts, lengths, documents, counts, ...packed])
}

export function decodeSearchFile(bytes: Buffer): SearchContent | null {
  const decoded = decodeArrayFile<Head>(bytes, [format])
  if (decoded === null) return null
  const { head, parts } = decoded
  const [hashes, starts, lengthOf, documents, counts, ...packed] = parts
  const [textStarts, chunkStarts, texts, chunks] = packed
  const lengths = numbersAt(Uint32Array, lengthOf!)
  return {
    ...head,
    postings: {
      hashes: numbersAt(Uint32Array, hashes!),
      starts: numbersAt(Uint32Array, starts!),
      lengths,
      documents: numbersAt(Uint16Array, documents!),
      counts: numbersAt(Uint8Array, counts!),
    },
    texts: { starts: numbersAt(Uint32Array, textStarts!), bytes: texts! },
    chunks: { starts: numbersAt(Uint32Array, chunkStarts!), bytes: chunks! },
  }
}

export function unpackBlock({ starts, bytes }: Packed, i: number): string {
  return Bun.zstdDecompressSync(bytes.subarray(starts[i], starts[i + 1])).toString()
}

export function packBlock(text: string): Uint8Array {
  return Bun.zstdCompressSync(text)
}

export function joinBlocks(blocks: readonly Uint8Array[]): Packed {
  const starts = new Uint32Array(blocks.length + 1)
  blocks.forEach(({ length }, i) => (starts[i + 1] = starts[i]! + length))
  return { starts, bytes: Buffer.concat(blocks) }
}
