import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { writeFileAtomically } from '../platform/file/files.ts'
import { trace } from '../platform/trace.ts'
import { checkBytes, readOptionalFile } from './integrity/file-checks.ts'
import { readManifest } from './integrity/manifest.ts'
import { pageIndexName, readPageSummary, type PageSummary } from './pages/page-index.ts'
import { readEntries, type Entry } from './registry.ts'

export type LibraryCard = {
  pages: number
  /**
   * Hashes of all terms in ascending order. `counts` has the number of pages with each term, at
   * most 65,535.
   */
  hashes: Uint32Array
  counts: Uint16Array
  /** Row-major embeddings of typical pages, each scaled so that its largest number is 127. */
  centres: Int8Array
  scales: Float32Array
  dimensions: number
}

export const libraryCardsName = 'library-cards.bin'
const mostCentres = 32
/**
 * Maximum number of pages from which the centres are computed, followed by the number of k-means
 * rounds.
 */
const mostSampled = 1_024
const rounds = 3

/**
 * Returns the cards of these generations by id. `known` contains the cards from earlier calls; new
 * cards are added to it. Missing cards are read from the store's file, or else computed and added
 * to that file. Damaged generations, and those without a page index, have no card.
 */
export async function libraryCards(
  folder: string,
  entries: readonly Entry[],
  known: Map<string, LibraryCard>,
): Promise<ReadonlyMap<string, LibraryCard>> {
  const isMissing = ({ live }: Entry) => !known.has(live.id)
  if (entries.some(isMissing)) {
    for (const [id, card] of await readCards(folder)) known.set(id, card)
  }
  const missing = entries.filter(isMissing)
  let nMade = 0
  for (const { live } of missing) {
    const card = await buildCard(join(folder, 'generations', live.id))
    if (card === null) continue
    known.set(live.id, card)
    nMade++
  }
  // If the file cannot be written, the next process computes the cards again.
  if (nMade > 0) await writeCards(folder, known).catch(() => {})
  trace('read library cards', { cards: known.size, made: nMade })
  return known
}

async function buildCard(path: string): Promise<LibraryCard | null> {
  try {
    const file = readManifest(path).files.find((it) => it.path === pageIndexName)
    const summary = await readPageSummary(path, (bytes) => file && checkBytes(file, bytes))
    return summary && cardOf(summary)
  } catch {
    // The library is searched without a card, and opening it reports the damage.
    return null
  }
}

/** Exported for tests. */
export function cardOf({ pages, hashes, counts, vectors, dimensions }: PageSummary): LibraryCard {
  const rows = dimensions === 0 ? [] : centresOf(sampledRows(vectors, dimensions))
  const centres = new Int8Array(rows.length * dimensions)
  const scales = new Float32Array(rows.length)
  rows.forEach((row, i) => {
    const most = row.reduce((max, value) => Math.max(max, Math.abs(value)), 0) || 1
    centres.set(
      row.map((value) => Math.round((127 * value) / most)),
      i * dimensions,
    )
    const own = centres.subarray(i * dimensions, (i + 1) * dimensions)
    scales[i] = 1 / (Math.sqrt(product(own, own)) || 1)
  })
  const capped = Uint16Array.from(counts, (count) => Math.min(count, 0xffff))
  return { pages, hashes, counts: capped, centres, scales, dimensions }
}

type Row = Float32Array

/** Returns evenly spaced rows, scaled to length 1, without pages that have no embedding. */
function sampledRows(vectors: Float32Array | Int8Array, dimensions: number): Row[] {
  const nRows = vectors.length / dimensions
  const step = Math.max(1, nRows / mostSampled)
  const rows: Row[] = []
  for (let at = 0; at < nRows; at += step) {
    const row = Math.floor(at)
    const own = Float32Array.from(vectors.subarray(row * dimensions, (row + 1) * dimensions))
    if (scaleToOne(own)) rows.push(own)
  }
  return rows
}

/**
 * Spherical k-means. The algorithm starts with evenly spaced rows, so it always finds the same
 * centres.
 */
function centresOf(rows: readonly Row[]): readonly Row[] {
  if (rows.length <= mostCentres) return rows
  let centres = Array.from(
    { length: mostCentres },
    (_, i) => rows[Math.floor((i * rows.length) / mostCentres)]!,
  )
  for (let round = 0; round < rounds; round++) {
    const sums = centres.map((centre) => new Float32Array(centre.length))
    for (const row of rows) {
      const sum = sums[nearestOf(row, centres)]!
      for (let i = 0; i < sum.length; i++) sum[i]! += row[i]!
    }
    centres = sums.map((sum, i) => (scaleToOne(sum) ? sum : centres[i]!))
  }
  return centres
}

function nearestOf(row: Row, centres: readonly Row[]): number {
  let [best, most] = [0, -Infinity]
  centres.forEach((centre, i) => {
    const cosine = product(row, centre)
    if (cosine > most) [best, most] = [i, cosine]
  })
  return best
}

/** Returns false for a row of zeros, which stays unchanged. */
function scaleToOne(row: Row): boolean {
  const length = Math.sqrt(product(row, row))
  if (length === 0) return false
  for (let i = 0; i < row.length; i++) row[i]! /= length
  return true
}

function product(a: Row | Int8Array, b: Row | Int8Array): number {
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!
  return sum
}

export function nearestCentre(card: LibraryCard, embedding: Float32Array): number | null {
  const { centres, scales, dimensions } = card
  if (scales.length === 0 || dimensions !== embedding.length) return null
  let most = -Infinity
  for (let row = 0; row < scales.length; row++) {
    let sum = 0
    const from = row * dimensions
    for (let i = 0; i < dimensions; i++) sum += embedding[i]! * centres[from + i]!
    most = Math.max(most, sum * scales[row]!)
  }
  return most
}

/** `lengths` are the sizes in bytes of a card's arrays, in the order of `arraysOf`. */
type Head = { format: number; cards: { id: string; card: CardHead }[] }
type CardHead = Pick<LibraryCard, 'pages' | 'dimensions'> & { lengths: number[] }

const format = 1
const alignment = 4
/**
 * Size of the checksum, which covers the rest of the file: the length of the header, the header and
 * the arrays.
 */
const sumBytes = 8

function arraysOf({ hashes, scales, counts, centres }: LibraryCard) {
  return [hashes, scales, counts, centres]
}

async function writeCards(folder: string, cards: Map<string, LibraryCard>): Promise<void> {
  const live = new Set((await readEntries(folder)).map((entry) => entry.live.id))
  for (const id of [...cards.keys()].filter((it) => !live.has(it))) cards.delete(id)
  const all = [...cards].sort(([a], [b]) => (a < b ? -1 : 1))
  const head: Head = {
    format,
    cards: all.map(([id, card]) => {
      const lengths = arraysOf(card).map(({ byteLength }) => byteLength)
      return { id, card: { pages: card.pages, dimensions: card.dimensions, lengths } }
    }),
  }
  const json = padded(Buffer.from(JSON.stringify(head)), 32)
  const size = Buffer.alloc(alignment)
  size.writeUInt32LE(json.length)
  const arrays = all.flatMap(([, card]) => arraysOf(card).map(bytesOf))
  const body = Buffer.concat([size, json, ...arrays.map((it) => padded(it, 0))])
  const sum = Buffer.alloc(sumBytes)
  sum.writeBigUInt64LE(Bun.hash.wyhash(body))
  await deleteLeftovers(folder)
  await writeFileAtomically(join(folder, libraryCardsName), Buffer.concat([sum, body]))
}

function padded(bytes: Buffer, value: number): Buffer {
  return Buffer.concat([bytes, Buffer.alloc(-bytes.length & (alignment - 1), value)])
}

function bytesOf({ buffer, byteOffset, byteLength }: NodeJS.TypedArray): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength)
}

const leftoverMs = 60_000

/** Deletes temporary files of processes that were killed while writing cards. */
async function deleteLeftovers(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.startsWith(`.${libraryCardsName}.`)) continue
    const { mtimeMs } = await stat(join(folder, name))
    if (Date.now() - mtimeMs > leftoverMs) await rm(join(folder, name), { force: true })
  }
}

async function readCards(folder: string): Promise<Map<string, LibraryCard>> {
  const bytes = await readOptionalFile(join(folder, libraryCardsName)).catch(() => null)
  if (bytes === null || bytes.length < sumBytes + alignment) return new Map()
  const body = bytes.subarray(sumBytes)
  if (Bun.hash.wyhash(body) !== bytes.readBigUInt64LE()) return new Map()
  let at = alignment + body.readUInt32LE()
  const head: Head = JSON.parse(body.toString('utf8', alignment, at))
  if (head.format !== format) return new Map()
  const take = (length: number) => {
    const part = body.subarray(at, at + length)
    at += length + (-length & (alignment - 1))
    // Copied for alignment, and so that the cards of other libraries do not stay in memory.
    return new Uint8Array(part).buffer
  }
  return new Map(
    head.cards.map(({ id, card: { pages, dimensions, lengths } }) => {
      const [hashes, scales, counts, centres] = lengths.map(take)
      const card: LibraryCard = {
        pages,
        dimensions,
        hashes: new Uint32Array(hashes!),
        scales: new Float32Array(scales!),
        counts: new Uint16Array(counts!),
        centres: new Int8Array(centres!),
      }
      return [id, card]
    }),
  )
}
