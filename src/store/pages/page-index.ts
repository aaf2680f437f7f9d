import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Table } from '@lancedb/lancedb'
import { writeFileAtomically } from '../../platform/file/files.ts'
import { pagePostings } from './page-terms.ts'
import { openPostings, type Postings } from '../postings.ts'
import { embeddingsOf, isZero } from '../embeddings.ts'
import { writeVocabulary } from './vocabulary.ts'

/**
 * What is known of whole pages, derived from their chunks: one row a page, in memory from the
 * first query on. A generation that was written by an earlier version has none.
 */
export type PageIndex = {
  /** The cosine of a page's embedding; null where it has none. */
  cosine(url: string, embedding: Float32Array): number | null
  /** BM25 of a page for these terms: 0 with none of them, null of unknown pages. */
  fullText(terms: readonly string[]): (url: string) => number | null
  /** How telling a term is here (BM25's logarithm), by how few pages it stands on. */
  rarity(term: string): number
  /** Whether any page has the term. */
  knows(term: string): boolean
}

/** A file and not a table: opening one more table is a fifth of a new process's query. */
export const pageIndexName = 'page-index.bin'
/** The share of the opening, which says what the page is, beside the mean of all chunks. */
const openingShare = 0.2
/** Larger libraries go without: 1.5 KB a page, read by the first query. */
const mostPages = 20_000

/**
 * Derives it from `pages` and the embeddings of `chunks`, into the folder of their generation, and
 * the vocabulary beside it.
 */
export async function writePageIndex(
  folder: string,
  { pages, chunks }: { pages: Table; chunks: Table },
): Promise<void> {
  if ((await pages.countRows()) > mostPages) return
  const rows: Row[] = []
  for await (const batch of pages.query().select(['url'])) {
    for (const { url } of batch) rows.push({ url })
  }
  const urls = rows.map(({ url }) => url)
  const { block = new Float32Array(), dimensions = 0 } = (await pageVectors(chunks, urls)) ?? {}
  const { vocabulary, ...postings } = await pagePostings(chunks, urls)
  await writeVocabulary(folder, vocabulary)
  const bytes = encoded({ rows, dimensions, block, postings })
  await writeFileAtomically(join(folder, pageIndexName), bytes)
}

/** Null where the folder has none; `check` throws where its bytes are not those written. */
export async function readPageIndex(
  folder: string,
  check: (bytes: Uint8Array) => void = () => {},
): Promise<PageIndex | null> {
  const bytes = await readFile(join(folder, pageIndexName)).catch((error) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  if (bytes !== null) check(bytes)
  const pages = bytes && decoded(bytes)
  if (pages === null) return null
  const { rows, block, dimensions, postings } = pages
  const places = new Map(rows.map(({ url }, place) => [url, place]))
  const terms = openPostings(postings)
  return {
    cosine(url, embedding) {
      const place = places.get(url)
      if (place === undefined || dimensions === 0) return null
      return product(embedding, block.subarray(place * dimensions, (place + 1) * dimensions))
    },
    knows: terms.knows,
    fullText(wanted) {
      const scores = terms.scores(wanted)
      return (url) => scores[places.get(url) ?? -1] ?? null
    },
    rarity: terms.rarity,
  }
}

type Row = { url: string }
/** A page's number is its place in `rows`; 0 dimensions: no embeddings. */
type Pages = { rows: Row[]; dimensions: number; block: Float32Array; postings: Postings }
type Head = Pick<Pages, 'rows' | 'dimensions'> & { format: number; lengths: number[] }

/** What was written in another format is as good as absent: `og add` writes it anew. */
const format = 2
const alignment = 4

/**
 * The length of a JSON (uint32, little-endian), the JSON, and as many arrays as it names lengths in
 * bytes: the embeddings, then those of the postings. Each begins at a multiple of four.
 */
function encoded({ rows, dimensions, block, postings }: Pages): Uint8Array {
  const { hashes, starts, documents, counts, lengths } = postings
  const arrays = [block, hashes, starts, lengths, documents, counts]
  const head: Head = { format, rows, dimensions, lengths: arrays.map((array) => array.byteLength) }
  const json = Buffer.from(JSON.stringify(head))
  const size = Buffer.alloc(alignment)
  size.writeUInt32LE(json.length)
  return Buffer.concat([size, json, ...arrays.map(bytesOf)].flatMap((part) => [
    part, Buffer.alloc(-part.length & (alignment - 1)),
  ]))
}

function bytesOf({ buffer, byteOffset, byteLength }: NodeJS.TypedArray): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength)
}

function copyOf({ buffer, byteOffset, byteLength }: Buffer): ArrayBuffer {
  return (buffer as ArrayBuffer).slice(byteOffset, byteOffset + byteLength)
}

function decoded(bytes: Buffer): Pages | null {
  let at = alignment
  const take = (length: number) => {
    const part = bytes.subarray(at, at + length)
    at += length + (-length & (alignment - 1))
    return part
  }
  const head: Head = JSON.parse(take(bytes.readUInt32LE()).toString())
  if (head.format !== format) return null
  const { rows, dimensions, lengths } = head
  // Copies: where the file begins in memory, numbers of four bytes may not.
  const parts = lengths.map((length) => copyOf(take(length)))
  const [block, hashes, starts, lengthOf, pages, counts] = parts
  return {
    rows,
    dimensions,
    block: new Float32Array(block!),
    postings: {
      hashes: new Uint32Array(hashes!),
      starts: new Uint32Array(starts!),
      lengths: new Uint32Array(lengthOf!),
      documents: new Uint16Array(pages!),
      counts: new Uint8Array(counts!),
    },
  }
}

/** Both have length 1, so it is their cosine. */
function product(a: Float32Array, b: Float32Array): number {
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!
  return sum
}

type PageSum = { sum: Float32Array; opening: Float32Array; chunks: number }

/** One row a page, in the order of `urls`; null where chunks have no embeddings. */
async function pageVectors(chunks: Table, urls: readonly string[]) {
  const dims = await dimensionsOf(chunks)
  if (dims === null) return null
  const empty = () => ({ sum: new Float32Array(dims), opening: new Float32Array(dims), chunks: 0 })
  const pages = new Map<string, PageSum>(urls.map((url) => [url, empty()]))
  for await (const batch of chunks.query().select(['url', 'chunk_index', 'vector'])) {
    const block = embeddingsOf(batch, dims)
    const places = batch.getChild('chunk_index')!.toArray() as Int32Array
    ;[...batch.getChild('url')!].forEach((url: string, row) => {
      const embedding = block.subarray(row * dims, (row + 1) * dims)
      const page = pages.get(url)
      if (page) add(page, embedding, { isOpening: places[row] === 0 })
    })
  }
  const block = new Float32Array(pages.size * dims)
  ;[...pages.values()].forEach((page, row) => block.set(pageVector(page), row * dims))
  return { block, dimensions: dims }
}

/** A chunk that is not embedded yet, whose row is zeros, says nothing of its page. */
function add(page: PageSum, embedding: Float32Array, { isOpening }: { isOpening: boolean }): void {
  if (isZero(embedding)) return
  page.chunks++
  for (let i = 0; i < embedding.length; i++) page.sum[i]! += embedding[i]!
  if (isOpening) page.opening.set(embedding)
}

/** Of length 1, or 0 for a page without a chunk. */
function pageVector({ sum, opening, chunks }: PageSum): Float32Array {
  const mean = (value: number, i: number) =>
    ((1 - openingShare) * value) / Math.max(1, chunks) + openingShare * opening[i]!
  const vector = sum.map(mean)
  const length = Math.sqrt(vector.reduce((squares, value) => squares + value * value, 0)) || 1
  return vector.map((value) => value / length)
}

async function dimensionsOf(table: Table): Promise<number | null> {
  const vector = (await table.schema()).fields.find(({ name }) => name === 'vector')
  return vector === undefined ? null : (vector.type as { listSize: number }).listSize
}
