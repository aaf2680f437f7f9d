import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Table } from '@lancedb/lancedb'
import { markGuides } from '../../api/api-path.ts'
import { collectBetween, collectIfLarge } from '../../platform/garbage.ts'
import { decodeArrayFile, encodeArrayFile, numbersAt } from '../../platform/file/array-file.ts'
import { openPostings, openPostingsBuilder, type Postings } from '../postings.ts'
import { dimensionsOf, embeddingsOf, isZero } from '../lance.ts'
import { readOptionalFile } from '../file-checks.ts'
import { writeVocabulary } from './vocabulary.ts'
import type { CheckBytes } from '../integrity/damage.ts'

/**
 * Search data about whole pages, derived from their chunks. Has one row per page and is in memory
 * after the first query. Very large generations have no page index.
 */
export type PageIndex = {
  cosine(url: string, embedding: Float32Array): number | null
  fullText(terms: readonly string[]): (url: string) => number | null
  /** A term's BM25 weight. It is higher if fewer pages contain the term. */
  rarity(term: string): number
  knows(term: string): boolean
}

/** A file, because one more table would make a process's first query a fifth slower. */
export const pageIndexName = 'page-index.bin'
/** Weight of a page's introductory first chunk. The mean of all chunks has the rest. */
const openingShare = 0.2
/**
 * Up to this many pages, embeddings are stored as floats, 1.5 KB each. Otherwise they are quantised
 * to a quarter of that size in steps of 1/127 of a page's largest value. This changes cosines by a
 * few thousandths.
 */
const fewPages = 20_000
/** Larger libraries have no page index: it takes half a kilobyte per page plus terms. */
const mostPages = 200_000

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
  // Embeddings come last because counting words takes the most memory.
  const postings = await countWords(folder, chunks, { urls, isLarge })
  collectIfLarge()
  const embeddings = await pageVectors(chunks, urls, { isLarge })
  await writeFile(join(folder, pageIndexName), encode({ rows, ...embeddings, postings }))
}

export async function readPageIndex(folder: string, check?: CheckBytes): Promise<PageIndex | null> {
  const bytes = await readOptionalFile(join(folder, pageIndexName), check)
  const pages = bytes && decode(bytes)
  if (pages === null) return null
  const { rows, vectors, scales, dimensions, postings } = pages
  const places = new Map(rows.map(({ url }, place) => [url, place]))
  const terms = openPostings(postings, markGuides(rows.map(({ url }) => url)))
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

export type PageSummary = Pick<Postings, 'hashes'> & {
  pages: number
  counts: Uint32Array
  /** Row-major, one row per page, not scaled to length 1. Empty if there are no embeddings. */
  vectors: Float32Array | Int8Array
  dimensions: number
}

export async function readPageSummary(
  folder: string,
  check: CheckBytes,
): Promise<PageSummary | null> {
  const bytes = await readOptionalFile(join(folder, pageIndexName), check)
  const index = bytes && decode(bytes)
  if (index === null) return null
  const { hashes, starts } = index.postings
  const counts = hashes.map((_, i) => starts[i + 1]! - starts[i]!)
  const { vectors, dimensions } = index
  return { hashes, counts, pages: index.rows.length, vectors, dimensions }
}

type Row = { url: string }
/** A page number is an index into `rows`. `dimensions` is 0 if there are no embeddings. */
type Pages = {
  rows: Row[]
  dimensions: number
  vectors: Float32Array | Int8Array
  /** Factor for each page's numbers in `vectors`. An empty array means 1. */
  scales: Float32Array
  postings: Postings
}
type Head = Pick<Pages, 'rows' | 'dimensions'> & { format: number }

const formats = { few: 4, many: 5 }

/** Serialises the embeddings, scales and postings. */
function encode({ rows, dimensions, vectors, scales, postings }: Pages): Generator<Buffer> {
  const { hashes, starts, documents, counts, lengths } = postings
  const format = vectors instanceof Int8Array ? formats.many : formats.few
  const head: Head = { format, rows, dimensions }
  return encodeArrayFile(head, [vectors, scales, hashes, starts, lengths, documents, counts])
}

function decode(bytes: Buffer): Pages | null {
  const decoded = decodeArrayFile<Head>(bytes, Object.values(formats))
  if (decoded === null) return null
  const { format, rows, dimensions } = decoded.head
  const isLarge = format === formats.many
  const [block, scales, ...rest] = decoded.parts
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

type Numbers = Float32Array | Int8Array

export function product(a: Numbers, b: Numbers): number {
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!
  return sum
}

/** Counts each page's words, and moves the vocabulary to its file to free its memory. */
async function countWords(
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

/**
 * Returns one row per page in the order of `urls`, or 0 dimensions if the chunks have no
 * embeddings. Counts each page's chunks first so that it knows when a page is complete. If there
 * are many pages, keeps only quantised rows in memory.
 */
async function pageVectors(
  chunks: Table,
  urls: readonly string[],
  { isLarge }: { isLarge: boolean },
): Promise<Pick<Pages, 'vectors' | 'scales' | 'dimensions'>> {
  const dimensions = (await dimensionsOf(chunks)) ?? 0
  const numbers = (count: number) => (isLarge ? new Int8Array(count) : new Float32Array(count))
  if (dimensions === 0) return { dimensions, vectors: numbers(0), scales: new Float32Array() }
  const places = new Map(urls.map((url, place) => [url, place]))
  const chunksLeft = new Uint32Array(urls.length)
  const nEmbedded = new Uint32Array(urls.length)
  for await (const { place, embedding } of embeddingsByPage(chunks, places, dimensions)) {
    chunksLeft[place]!++
    if (!isZero(embedding)) nEmbedded[place]!++
  }
  const vectors = numbers(urls.length * dimensions)
  const scales = new Float32Array(isLarge ? urls.length : 0)
  if (nEmbedded.every((n) => n === 0)) return { dimensions, vectors, scales }
  /** Sums of unfinished pages. The chunks of a page are adjacent. */
  const sums = new Map<number, Float32Array>()
  for await (const { place, embedding, isOpening } of embeddingsByPage(
    chunks,
    places,
    dimensions,
  )) {
    const sum = sums.get(place) ?? new Float32Array(dimensions)
    const even = (1 - openingShare) / Math.max(1, nEmbedded[place]!)
    const share = even + (isOpening ? openingShare : 0)
    for (let i = 0; i < dimensions; i++) sum[i]! += share * embedding[i]!
    if (--chunksLeft[place]! > 0) {
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

/**
 * Yields the embeddings with their pages. A chunk without an embedding contains zeros, which do not
 * change its page's sum.
 */
async function* embeddingsByPage(
  chunks: Table,
  places: ReadonlyMap<string, number>,
  dims: number,
): AsyncGenerator<{ place: number; embedding: Float32Array; isOpening: boolean }> {
  const query = chunks.query().select(['url', 'chunk_index', 'vector'])
  for await (const batch of collectBetween(query)) {
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

/** Returns false for a row of zeros, which stays unchanged. Its page has no embedded chunks. */
export function scaleToOne(row: Float32Array): boolean {
  const length = Math.sqrt(product(row, row))
  if (length === 0) return false
  for (let i = 0; i < row.length; i++) row[i]! /= length
  return true
}

function scaleToBytes(row: Float32Array): number {
  let most = 0
  for (let i = 0; i < row.length; i++) most = Math.max(most, Math.abs(row[i]!))
  const scale = most / 127 || 1
  for (let i = 0; i < row.length; i++) row[i] = Math.round(row[i]! / scale)
  return scale
}

/**
 * Counts the terms in each page's chunks, which are adjacent. Each page is one document.
 * `vocabulary` lists each term once.
 */
export async function pagePostings(
  chunks: Table,
  urls: readonly string[],
  kind: Uint16ArrayConstructor | Uint32ArrayConstructor = Uint16Array,
): Promise<Postings & { vocabulary: string[] }> {
  const numbers = new Map(urls.map((url, i) => [url, i]))
  const postings = openPostingsBuilder(urls.length)
  for await (const batch of collectBetween(chunks.query().select(['url', 'terms']))) {
    const [of, terms] = ['url', 'terms'].map((name) => batch.getChild(name)!)
    for (let row = 0; row < batch.numRows; row++) {
      const page = numbers.get(of!.get(row))
      if (page !== undefined) postings.add(page, terms!.get(row))
    }
  }
  collectIfLarge()
  return { ...postings.finished(kind), vocabulary: postings.vocabulary }
}
