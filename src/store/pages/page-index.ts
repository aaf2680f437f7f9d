import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Table } from '@lancedb/lancedb'
import { collectMeanwhile, collectMuch } from '../../platform/garbage.ts'
import { pagePostings } from './page-terms.ts'
import { openPostings, type Postings } from '../postings.ts'
import { dimensionsOf, embeddingsOf, isZero } from '../embeddings.ts'
import { readKept, type CheckOfBytes } from '../integrity/file-checks.ts'
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
/** Of up to so many pages embeddings are kept as they are, 1.5 KB each; of more in a quarter. */
const fewPages = 20_000
/** Larger libraries go without: half a kilobyte a page and its terms, read by the first query. */
const mostPages = 200_000

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
  const isLarge = urls.length > fewPages
  const embeddings = await keptVectors(chunks, urls, { isLarge })
  const { vocabulary, ...postings } =
    await pagePostings(chunks, urls, isLarge ? Uint32Array : Uint16Array)
  await writeVocabulary(folder, vocabulary)
  collectMuch()
  const bytes = encoded({ rows, ...embeddings, postings })
  await writeFile(join(folder, pageIndexName), bytes)
}

/**
 * Reads the index; null where the folder has none. `check` throws where its bytes are not those
 * that were written.
 */
export async function readPageIndex(
  folder: string,
  check?: CheckOfBytes,
): Promise<PageIndex | null> {
  const bytes = await readKept(join(folder, pageIndexName), check)
  const pages = bytes && decoded(bytes)
  if (pages === null) return null
  const { rows, vectors, scale, dimensions, postings } = pages
  const places = new Map(rows.map(({ url }, place) => [url, place]))
  const terms = openPostings(postings)
  return {
    cosine(url, embedding) {
      const place = places.get(url)
      if (place === undefined || dimensions === 0) return null
      const own = vectors.subarray(place * dimensions, (place + 1) * dimensions)
      return scale * product(embedding, own)
    },
    knows: terms.knows,
    fullText(words) {
      const scores = terms.scores(words)
      return (url) => scores[places.get(url) ?? -1] ?? null
    },
    rarity: terms.rarity,
  }
}

type Row = { url: string }
/** A page's number is its place in `rows`; 0 dimensions: no embeddings. */
type Pages = {
  rows: Row[]
  dimensions: number
  vectors: Float32Array | Int8Array
  /** What a number of `vectors` is multiplied with. */
  scale: number
  postings: Postings
}
type Head = Pick<Pages, 'rows' | 'dimensions' | 'scale'> & { format: number; lengths: number[] }

/** Of many pages; what has neither format is as good as absent: `og add` writes it anew. */
const formats = { few: 2, many: 3 }
const alignment = 4

/**
 * The length of a JSON (uint32, little-endian), the JSON, and as many arrays as it names lengths in
 * bytes: the embeddings, then those of the postings. Each begins at a multiple of four.
 */
function encoded({ rows, dimensions, vectors, scale, postings }: Pages): Uint8Array {
  const { hashes, starts, documents, counts, lengths } = postings
  const format = vectors instanceof Int8Array ? formats.many : formats.few
  const arrays = [vectors, hashes, starts, lengths, documents, counts]
  const sizes = arrays.map((array) => array.byteLength)
  const head: Head = { format, rows, dimensions, scale, lengths: sizes }
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

/** Of a large file its own bytes, not a copy of them; where it begins in memory is no matter. */
function numbersAt<Kind>(
  kind: NumbersAt<Kind>, { buffer, byteOffset, byteLength }: Buffer,
): Kind {
  if (byteOffset % alignment === 0) {
    return new kind(buffer as ArrayBuffer, byteOffset, byteLength / kind.BYTES_PER_ELEMENT)
  }
  return new kind((buffer as ArrayBuffer).slice(byteOffset, byteOffset + byteLength))
}

type NumbersAt<Kind> = {
  new (buffer: ArrayBuffer, from?: number, length?: number): Kind
  BYTES_PER_ELEMENT: number
}

function decoded(bytes: Buffer): Pages | null {
  let at = alignment
  const take = (length: number) => {
    const part = bytes.subarray(at, at + length)
    at += length + (-length & (alignment - 1))
    return part
  }
  const head: Head = JSON.parse(take(bytes.readUInt32LE()).toString())
  if (!Object.values(formats).includes(head.format)) return null
  const { format, rows, dimensions, scale = 1, lengths } = head
  const isLarge = format === formats.many
  const [block, hashes, starts, lengthOf, pages, counts] = lengths.map((length) => take(length))
  return {
    rows,
    dimensions,
    vectors: isLarge ? numbersAt(Int8Array, block!) : numbersAt(Float32Array, block!),
    scale,
    postings: {
      hashes: numbersAt(Uint32Array, hashes!),
      starts: numbersAt(Uint32Array, starts!),
      lengths: numbersAt(Uint32Array, lengthOf!),
      documents: isLarge ? numbersAt(Uint32Array, pages!) : numbersAt(Uint16Array, pages!),
      counts: numbersAt(Uint8Array, counts!),
    },
  }
}

/** Both have length 1, so it is their cosine. */
function product(a: Float32Array, b: Float32Array | Int8Array): number {
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!
  return sum
}

type PageVectors = Pick<Pages, 'vectors' | 'scale' | 'dimensions'>

/** Those of many pages are rounded, and let go before words are counted. */
async function keptVectors(
  chunks: Table, urls: readonly string[], { isLarge }: { isLarge: boolean },
): Promise<PageVectors> {
  const { block = new Float32Array(), dimensions = 0 } = (await pageVectors(chunks, urls)) ?? {}
  return { dimensions, ...(isLarge ? roundedVectors(block) : { vectors: block, scale: 1 }) }
}

/** In steps of a 127th of the largest: a cosine is some thousandths wrong. */
function roundedVectors(block: Float32Array): Pick<Pages, 'vectors' | 'scale'> {
  const scale = block.reduce((most, value) => Math.max(most, Math.abs(value)), 0) / 127 || 1
  // `Int8Array.from` makes a list of all numbers first, eight bytes each.
  const vectors = new Int8Array(block.length)
  block.forEach((value, i) => (vectors[i] = Math.round(value / scale)))
  return { vectors, scale }
}

/**
 * One row a page, in the order of `urls`; null where chunks have no embeddings. Chunks are counted
 * first, so that no more than one row a page is in memory.
 */
async function pageVectors(chunks: Table, urls: readonly string[]) {
  const dims = await dimensionsOf(chunks)
  if (dims === null) return null
  const places = new Map(urls.map((url, place) => [url, place]))
  const counts = new Uint32Array(urls.length)
  for await (const { place, embedding } of pagedEmbeddings(chunks, places, dims)) {
    if (!isZero(embedding)) counts[place]!++
  }
  const block = new Float32Array(urls.length * dims)
  for await (const { place, embedding, isOpening } of pagedEmbeddings(chunks, places, dims)) {
    const share = (1 - openingShare) / Math.max(1, counts[place]!) + (isOpening ? openingShare : 0)
    const from = place * dims
    for (let i = 0; i < dims; i++) block[from + i]! += share * embedding[i]!
  }
  for (let from = 0; from < block.length; from += dims) scaleToOne(block, from, from + dims)
  return { block, dimensions: dims }
}

type PagedEmbedding = { place: number; embedding: Float32Array; isOpening: boolean }

/** What is not embedded yet, whose row is zeros, says nothing of its page: it adds nothing. */
async function* pagedEmbeddings(
  chunks: Table, places: ReadonlyMap<string, number>, dims: number,
): AsyncGenerator<PagedEmbedding> {
  for await (const batch of chunks.query().select(['url', 'chunk_index', 'vector'])) {
    // Embeddings of the batches before are memory that no collection counts.
    collectMeanwhile()
    const block = embeddingsOf(batch, dims)
    const indexes = batch.getChild('chunk_index')!.toArray() as Int32Array
    const urls = batch.getChild('url')!
    for (let row = 0; row < batch.numRows; row++) {
      const place = places.get(urls.get(row))
      if (place === undefined) continue
      const embedding = block.subarray(row * dims, (row + 1) * dims)
      yield { place, embedding, isOpening: indexes[row] === 0 }
    }
  }
}

/** Zeros, of a page without an embedded chunk, stay. */
function scaleToOne(block: Float32Array, from: number, to: number): void {
  let squares = 0
  for (let i = from; i < to; i++) squares += block[i]! ** 2
  const length = Math.sqrt(squares) || 1
  for (let i = from; i < to; i++) block[i]! /= length
}
