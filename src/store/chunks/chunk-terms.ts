import type { Table } from '@lancedb/lancedb'
import { hashOf, mostCount, openPostings, type Bm25, type Postings } from '../postings.ts'
import { fullText, type FullTextLimits, type Ranked } from './chunk-search.ts'

/** The terms of every chunk of a table in memory, a chunk a document, with whose they are. */
export type ChunkTerms = { bm25: Bm25; rowIds: BigUint64Array; urls: string[] }

/**
 * Full text of a table. The first time LanceDB answers; a process that asks again gets the terms
 * into memory where there are at most `most` rows, and LanceDB goes on to answer meanwhile.
 */
export function openFullText(
  nRows: number,
  { most, open }: { most: number; open: () => Promise<Table> },
) {
  let isAskedAgain = false
  let reading: Promise<void> | null = null
  let inMemory: ChunkTerms | null = null
  return async (terms: string[], limits: FullTextLimits): Promise<Ranked[]> => {
    if (inMemory !== null) return fullTextInMemory(inMemory, terms, limits)
    const table = await open()
    if (isAskedAgain && nRows <= most) {
      // A table that is closed meanwhile has nobody who waits for its terms.
      reading ??= readChunkTerms(table, nRows).then((read) => void (inMemory = read), () => {})
    }
    isAskedAgain = true
    return fullText(table, terms, limits)
  }
}

/** Rows that are read before others may have the thread. */
const rowsAtOnce = 256

/** Some five bytes for each term of each chunk. Others run meanwhile. */
export async function readChunkTerms(table: Table, nRows: number): Promise<ChunkTerms> {
  const rowIds = new BigUint64Array(nRows)
  const urls: string[] = []
  // Chunks of a page share its address: one text in memory, not one a chunk.
  const known = new Map<string, string>()
  const shared = (url: string) => known.get(url) ?? (known.set(url, url), url)
  const writing = startPostings(nRows)
  for await (const batch of table.query().select(['url', 'terms']).withRowId()) {
    rowIds.set(batch.getChild('_rowid')!.toArray() as BigUint64Array, urls.length)
    const [ofPage, terms] = [batch.getChild('url')!, batch.getChild('terms')!]
    for (let row = 0; row < batch.numRows; row++) {
      writing.add(urls.length, terms.get(row).split(' '))
      urls.push(shared(ofPage.get(row)))
      if (row % rowsAtOnce === 0) await new Promise(setImmediate)
    }
  }
  return { bm25: openPostings(writing.finished()), rowIds, urls }
}

/** The same answer as `fullText` of the table. Of equal scores the first row is best. */
export function fullTextInMemory(
  { bm25, rowIds, urls }: ChunkTerms,
  terms: readonly string[],
  { limit, isAll = false }: FullTextLimits,
): Ranked[] {
  const scores = bm25.scores(terms, { isAll })
  return bestRows(scores, limit).map((row) =>
    ({ rowId: rowIds[row]!, url: urls[row]!, score: scores[row]! }))
}

function bestRows(scores: Float32Array, limit: number): number[] {
  const rows: number[] = []
  for (let row = 0; row < scores.length; row++) if (scores[row]! > 0) rows.push(row)
  const least = rows.length <= limit
    ? 0
    : Float32Array.from(rows, (row) => scores[row]!).sort()[rows.length - limit]!
  const best = rows.filter((row) => scores[row]! >= least)
  return best.sort((a, b) => scores[b]! - scores[a]! || a - b).slice(0, limit)
}

/** Documents are added by ascending number, each once. */
function startPostings(nDocuments: number) {
  const places = new Map<number, number>()
  const hashes: number[] = []
  /** Of each term: the last document with it, its posting there, and its number of documents. */
  const lasts: number[] = []
  const postings: number[] = []
  const sizes: number[] = []
  const lengths = new Uint32Array(nDocuments)
  /** By posting, in the order of the documents. */
  const termOf = growing(Uint32Array)
  const countOf = growing(Uint8Array)
  const ends = new Uint32Array(nDocuments)

  function placeOf(term: string): number {
    const hash = hashOf(term)
    const place = places.get(hash) ?? hashes.push(hash) - 1
    if (place === lasts.length) {
      places.set(hash, place)
      lasts.push(-1)
      postings.push(0)
      sizes.push(0)
    }
    return place
  }

  return {
    add(document: number, terms: readonly string[]): void {
      for (const term of terms) {
        if (term === '') continue
        lengths[document]!++
        const place = placeOf(term)
        if (lasts[place] === document) {
          const { array } = countOf
          array[postings[place]!] = Math.min(mostCount, array[postings[place]!]! + 1)
          continue
        }
        lasts[place] = document
        postings[place] = termOf.push(place)
        sizes[place]!++
        countOf.push(1)
      }
      ends[document] = termOf.length
    },
    finished: () => byTerm({ hashes, sizes, termOf, countOf, ends, lengths }),
  }
}

/** Postings by document, and of each term its hash and its number of documents. */
type ByDocument = {
  hashes: number[]
  sizes: number[]
  termOf: { array: Uint32Array; length: number }
  countOf: { array: Uint8Array }
  /** Where the postings of each document end. */
  ends: Uint32Array
  lengths: Uint32Array
}

function byTerm({ hashes, sizes, termOf, countOf, ends, lengths }: ByDocument): Postings {
  const order = Uint32Array.from(hashes.keys()).sort((a, b) => hashes[a]! - hashes[b]!)
  const starts = new Uint32Array(order.length + 1)
  const next = new Uint32Array(order.length)
  order.forEach((place, i) => {
    next[place] = starts[i]!
    starts[i + 1] = starts[i]! + sizes[place]!
  })
  const documents = new Uint32Array(termOf.length)
  const counts = new Uint8Array(termOf.length)
  let posting = 0
  ends.forEach((end, document) => {
    for (; posting < end; posting++) {
      const at = next[termOf.array[posting]!]!++
      documents[at] = document
      counts[at] = countOf.array[posting]!
    }
  })
  const sorted = Uint32Array.from(order, (place) => hashes[place]!)
  return { hashes: sorted, starts, documents, counts, lengths }
}

type Numbers = Uint8Array | Uint32Array

/** An array of numbers that doubles when it is full. */
function growing<Kind extends Numbers>(kind: new (size: number) => Kind) {
  const grown = {
    array: new kind(1 << 16),
    length: 0,
    /** Where the number then is. */
    push(value: number): number {
      if (grown.length === grown.array.length) {
        const larger = new kind(2 * grown.length)
        larger.set(grown.array)
        grown.array = larger
      }
      grown.array[grown.length] = value
      return grown.length++
    },
  }
  return grown
}
