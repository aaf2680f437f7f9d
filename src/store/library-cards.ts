import { join } from 'node:path'
import { decodeArrayFile, encodeArrayFile, numbersAt } from '../platform/file/array-file.ts'
import { writeFileAtomically } from '../platform/file/files.ts'
import { deleteLeftovers } from '../platform/file/space.ts'
import { trace } from '../platform/trace.ts'
import { readOptionalFile } from './file-checks.ts'
import { readManifest } from './integrity/manifest.ts'
import {
  pageIndexName,
  product,
  readPageSummary,
  scaleToOne,
  type PageSummary,
} from './pages/page-index.ts'
import { readEntries, type Entry } from './registry.ts'
import { checkBytes } from './integrity/damage.ts'

export type LibraryCard = {
  pages: number
  /** Hashes of all terms, ascending. `counts` has the number of pages per term (up to 65,535). */
  hashes: Uint32Array
  counts: Uint16Array
  /** Row-major embeddings of typical pages, each scaled so that its largest number is 127. */
  centres: Int8Array
  scales: Float32Array
  dimensions: number
}

export const libraryCardsName = 'library-cards.bin'
const mostCentres = 32
/** Maximum number of pages that are sampled for centres, and number of k-means rounds. */
const mostSampled = 1_024
const rounds = 3

/**
 * Returns the cards of these generations by id. `cards` contains the cards of earlier calls, and
 * this function adds new ones to it. Reads a missing card from the store's file. If it is not there
 * either, computes it and adds it to that file. Generations that are damaged or have no page index
 * have no card.
 */
export async function libraryCards(
  folder: string,
  entries: readonly Entry[],
  cards: Map<string, LibraryCard>,
): Promise<ReadonlyMap<string, LibraryCard>> {
  const isMissing = ({ live }: Entry) => !cards.has(live.id)
  if (entries.some(isMissing)) {
    for (const [id, card] of await readCards(folder)) cards.set(id, card)
  }
  const missing = entries.filter(isMissing)
  let nMade = 0
  for (const { live } of missing) {
    const card = await buildCard(join(folder, 'generations', live.id))
    if (card === null) continue
    cards.set(live.id, card)
    nMade++
  }
  // If the file cannot be written, the next process computes the cards again.
  if (nMade > 0) await writeCards(folder, cards).catch(() => {})
  trace('read library cards', { cards: cards.size, made: nMade })
  return cards
}

async function buildCard(path: string): Promise<LibraryCard | null> {
  try {
    const file = readManifest(path).files.find((it) => it.path === pageIndexName)
    const summary = await readPageSummary(path, (bytes) => file && checkBytes(file, bytes))
    return summary && cardOf(summary)
  } catch {
    // A library without a card is still searched, and opening it reports the damage.
    return null
  }
}

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

/** Returns evenly spaced rows scaled to length 1, without pages that have no embedding. */
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

/** Computes spherical k-means. It starts with evenly spaced rows and is deterministic. */
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

type Head = {
  format: number
  cards: (Pick<LibraryCard, 'pages' | 'dimensions'> & { id: string })[]
}

const format = 2
/** Size of the checksum that covers the rest of the file. */
const sumBytes = 8

async function writeCards(folder: string, cards: Map<string, LibraryCard>): Promise<void> {
  const live = new Set((await readEntries(folder)).map((entry) => entry.live.id))
  for (const id of [...cards.keys()].filter((it) => !live.has(it))) cards.delete(id)
  const all = [...cards].sort(([a], [b]) => (a < b ? -1 : 1))
  const head = all.map(([id, { pages, dimensions }]) => ({ id, pages, dimensions }))
  const arrays = all.flatMap(([, card]) => [card.hashes, card.scales, card.counts, card.centres])
  const body = Buffer.concat([...encodeArrayFile({ format, cards: head } satisfies Head, arrays)])
  const sum = Buffer.alloc(sumBytes)
  sum.writeBigUInt64LE(Bun.hash.wyhash(body))
  await deleteLeftovers(folder, `.${libraryCardsName}.`, leftoverMs)
  await writeFileAtomically(join(folder, libraryCardsName), Buffer.concat([sum, body]))
}

/** A newer leftover may be a file that another process is writing. */
const leftoverMs = 60_000

async function readCards(folder: string): Promise<Map<string, LibraryCard>> {
  const bytes = await readOptionalFile(join(folder, libraryCardsName)).catch(() => null)
  if (bytes === null || bytes.length < sumBytes + 4) return new Map()
  const body = bytes.subarray(sumBytes)
  if (Bun.hash.wyhash(body) !== bytes.readBigUInt64LE()) return new Map()
  const decoded = decodeArrayFile<Head>(body, [format])
  const cards = decoded?.head.cards ?? []
  return new Map(
    cards.map(({ id, pages, dimensions }, i): [string, LibraryCard] => {
      const [hashes, scales, counts, centres] = decoded!.parts.slice(4 * i, 4 * i + 4)
      const arrays = {
        hashes: numbersAt(Uint32Array, hashes!),
        scales: numbersAt(Float32Array, scales!),
        counts: numbersAt(Uint16Array, counts!),
        centres: numbersAt(Int8Array, centres!),
      }
      return [id, { pages, dimensions, ...arrays }]
    }),
  )
}
