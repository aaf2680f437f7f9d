import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Table } from '@lancedb/lancedb'
import { collecting, collectMuch } from '../../platform/garbage.ts'
import { openPostings, startPostings, type Postings } from '../postings.ts'
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
/**
 * Of up to so many pages embeddings are kept as they are, 1.5 KB each; of more in a quarter, in
 * steps of a 127th of a page's largest number: a cosine is some thousandths wrong.
 */
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
  // Embeddings last: counting words takes the most memory.
  const postings = await countedWords(folder, chunks, { urls, isLarge })
  collectMuch()
  const embeddings = await pageVectors(chunks, urls, { isLarge })
  await writeFile(join(folder, pageIndexName), encoded({ rows, ...embeddings, postings }))
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
  const { rows, vectors, scales, dimensions, postings } = pages
  const places = new Map(rows.map(({ url }, place) => [url, place]))
  const terms = openPostings(postings)
  return {
    cosine(url, embedding) {
      const place = places.get(url)
      if (place === undefined || dimensions === 0) return null
      const own = vectors.subarray(place * dimensions, (place + 1) * dimensions)
      return (scales[place] ?? 1) * product(embedding, own)
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
  /** What the numbers of a page in `vectors` are multiplied with; empty: with 1. */
  scales: Float32Array
  postings: Postings
}
type Head = Pick<Pages, 'rows' | 'dimensions'> & { format: number; lengths: number[] }

/** Of many pages; what has neither format is as good as absent: `og add` writes it anew. */
const formats = { few: 4, many: 5 }
const alignment = 4

/**
 * The length of a JSON (uint32, little-endian), the JSON, and as many arrays as it names lengths in
 * bytes: the embeddings, their scales, then those of the postings. Each begins at a multiple of
 * four. They come a part at a time: together they would be in memory twice.
 */
function* encoded({ rows, dimensions, vectors, scales, postings }: Pages): Generator<Buffer> {
  const { hashes, starts, documents, counts, lengths } = postings
  const format = vectors instanceof Int8Array ? formats.many : formats.few
  const arrays = [vectors, scales, hashes, starts, lengths, documents, counts]
  const sizes = arrays.map((array) => array.byteLength)
  const head: Head = { format, rows, dimensions, lengths: sizes }
  const json = Buffer.from(JSON.stringify(head))
  const size = Buffer.alloc(alignment)
  size.writeUInt32LE(json.length)
  for (const part of [size, json, ...arrays.map(bytesOf)]) {
    yield part
    yield Buffer.alloc(-part.length & (alignment - 1))
  }
}

function bytesOf({ buffer, byteOffset, byteLength }: NodeJS.TypedArray): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength)
}

/** Of a large file its own bytes, not a copy of them; where it begins in memory is no matter. */
function numbersAt<Kind>(kind: NumbersAt<Kind>, { buffer, byteOffset, byteLength }: Buffer): Kind {
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
  const { format, rows, dimensions, lengths } = head
  const isLarge = format === formats.many
  const [block, scales, ...rest] = lengths.map((length) => take(length))
  const [hashes, starts, lengthOf, pages, counts] = rest
  return {
    rows,
    dimensions,
    vectors: isLarge ? numbersAt(Int8Array, block!) : numbersAt(Float32Array, block!),
    scales: numbersAt(Float32Array, scales!),
    postings: {
      hashes: numbersAt(Uint32Array, hashes!),
      starts: numbersAt(Uint32Array, starts!),
      lengths: numbersAt(Uint32Array, lengthOf!),
      documents: isLarge ? numbersAt(Uint32Array, pages!) : numbersAt(Uint16Array, pages!),
      counts: numbersAt(Uint8Array, counts!),
    },
  }
}

/** The cosine, of two of length 1. */
function product(a: Float32Array, b: Float32Array | Int8Array): number {
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!
  return sum
}

/** The vocabulary is in its file then, and no longer in memory. */
async function countedWords(
  folder: string,
  chunks: Table,
  { urls, isLarge }: { urls: readonly string[]; isLarge: boolean },
): Promise<Postings> {
  const { vocabulary, ...postings } = await pagePostings(
    chunks,
    urls,
    isLarge ? Uint32Array : Uint16Array,
  )
  await writeVocabulary(folder, vocabulary)
  return postings
}

type PageVectors = Pick<Pages, 'vectors' | 'scales' | 'dimensions'>

/**
 * One row a page, in the order of `urls`; 0 dimensions where chunks have no embeddings. Chunks are
 * counted first, so that a page is complete with its last one: of many pages the rounded rows are
 * all that is in memory.
 */
async function pageVectors(
  chunks: Table,
  urls: readonly string[],
  { isLarge }: { isLarge: boolean },
): Promise<PageVectors> {
  const dimensions = (await dimensionsOf(chunks)) ?? 0
  const numbers = (count: number) => (isLarge ? new Int8Array(count) : new Float32Array(count))
  if (dimensions === 0) return { dimensions, vectors: numbers(0), scales: new Float32Array() }
  const places = new Map(urls.map((url, place) => [url, place]))
  const left = new Uint32Array(urls.length)
  const embedded = new Uint32Array(urls.length)
  for await (const { place, embedding } of pagedEmbeddings(chunks, places, dimensions)) {
    left[place]!++
    if (!isZero(embedding)) embedded[place]!++
  }
  const vectors = numbers(urls.length * dimensions)
  const scales = new Float32Array(isLarge ? urls.length : 0)
  /** Of pages that have begun; the chunks of a page stand together. */
  const sums = new Map<number, Float32Array>()
  for await (const { place, embedding, isOpening } of pagedEmbeddings(chunks, places, dimensions)) {
    const sum = sums.get(place) ?? new Float32Array(dimensions)
    const even = (1 - openingShare) / Math.max(1, embedded[place]!)
    const share = even + (isOpening ? openingShare : 0)
    for (let i = 0; i < dimensions; i++) sum[i]! += share * embedding[i]!
    if (--left[place]! > 0) {
      sums.set(place, sum)
      continue
    }
    sums.delete(place)
    scaleToOne(sum)
    if (isLarge) scales[place] = scaleToBytes(sum)
    vectors.set(sum, place * dimensions)
  }
  return { dimensions, vectors, scales }
}

type PagedEmbedding = { place: number; embedding: Float32Array; isOpening: boolean }

/** What is not embedded yet, whose row is zeros, says nothing of its page: it adds nothing. */
async function* pagedEmbeddings(
  chunks: Table,
  places: ReadonlyMap<string, number>,
  dims: number,
): AsyncGenerator<PagedEmbedding> {
  const query = chunks.query().select(['url', 'chunk_index', 'vector'])
  for await (const batch of collecting(query)) {
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
function scaleToOne(row: Float32Array): void {
  const length = Math.sqrt(product(row, row)) || 1
  for (let i = 0; i < row.length; i++) row[i]! /= length
}

/** Whole numbers from -127 to 127. @returns what they are to be multiplied with */
function scaleToBytes(row: Float32Array): number {
  let most = 0
  for (let i = 0; i < row.length; i++) most = Math.max(most, Math.abs(row[i]!))
  const scale = most / 127 || 1
  for (let i = 0; i < row.length; i++) row[i] = Math.round(row[i]! / scale)
  return scale
}

/** Numbers of pages in two bytes each, or in four. */
type PageNumbers = Uint16ArrayConstructor | Uint32ArrayConstructor

/**
 * Counts the terms of all chunks of each page, which is a document here and whose chunks stand
 * together; `vocabulary` has each term once.
 */
export async function pagePostings(
  chunks: Table,
  urls: readonly string[],
  kind: PageNumbers = Uint16Array,
): Promise<Postings & { vocabulary: string[] }> {
  const numbers = new Map(urls.map((url, i) => [url, i]))
  const writing = startPostings(urls.length)
  for await (const batch of collecting(chunks.query().select(['url', 'terms']))) {
    const [of, terms] = ['url', 'terms'].map((name) => batch.getChild(name)!)
    for (let row = 0; row < batch.numRows; row++) {
      const page = numbers.get(of!.get(row))
      if (page !== undefined) writing.add(page, terms!.get(row).split(' '))
    }
  }
  collectMuch()
  return { ...writing.finished(kind), vocabulary: writing.vocabulary }
}
