import type { Table } from '@lancedb/lancedb'
import { collectMuch } from '../../platform/garbage.ts'
import { hashOf, mostCount, type Postings } from '../postings.ts'

/**
 * Counts the terms of all chunks of each page, which is a document here and whose chunks stand
 * together; `vocabulary` has each term once. In lists of numbers: as maps of maps, 100,000 chunks
 * take a gigabyte.
 */
export async function pagePostings(
  chunks: Table,
  urls: readonly string[],
): Promise<Postings & { vocabulary: string[] }> {
  const numbers = new Map(urls.map((url, i) => [url, i]))
  const lengths = new Uint32Array(urls.length)
  /** Place of each term in `vocabulary`, by its hash. */
  const places = new Map<number, number>()
  const vocabulary: string[] = []
  const found = emptyCounts()
  let page: number | undefined
  let ofPage = new Map<number, number>()
  const flush = () => {
    for (const [term, count] of ofPage) append(found, { term, page: page!, count })
    ofPage = new Map()
  }
  let rows = 0
  for await (const batch of chunks.query().select(['url', 'terms'])) {
    rows += batch.numRows
    if (rows >= collectedRows) {
      collectMuch()
      rows = 0
    }
    const [of, texts] = ['url', 'terms'].map((name) => batch.getChild(name)!)
    for (let row = 0; row < batch.numRows; row++) {
      const [next, text] = [numbers.get(of!.get(row)), texts!.get(row) as string]
      if (next === undefined || text === '') continue
      if (next !== page) flush()
      page = next
      for (const term of text.split(' ')) {
        const key = hashOf(term)
        const place = places.get(key) ?? vocabulary.push(term) - 1
        places.set(key, place)
        ofPage.set(place, (ofPage.get(place) ?? 0) + 1)
        lengths[page]!++
      }
    }
  }
  flush()
  return { ...packed(found, places), lengths, vocabulary }
}

/** Their terms are some ten megabytes. */
const collectedRows = 8192

/** How often a term stands on a page: one count at each index; grows as it is filled. */
type Counts = { terms: Uint32Array; pages: Uint16Array; counts: Uint32Array; length: number }

function emptyCounts(): Counts {
  const room = 1024
  return {
    terms: new Uint32Array(room), pages: new Uint16Array(room), counts: new Uint32Array(room),
    length: 0,
  }
}

function append(all: Counts, { term, page, count }: Record<'term' | 'page' | 'count', number>) {
  if (all.length === all.terms.length) {
    const { terms, pages, counts } = all
    all.terms = new Uint32Array(2 * all.length)
    all.pages = new Uint16Array(2 * all.length)
    all.counts = new Uint32Array(2 * all.length)
    all.terms.set(terms)
    all.pages.set(pages)
    all.counts.set(counts)
  }
  all.terms[all.length] = term
  all.pages[all.length] = page
  all.counts[all.length++] = count
}

/** By ascending hash, the pages of a term in the order in which they were counted. */
function packed(
  { terms, pages, counts, length }: Counts, places: ReadonlyMap<number, number>,
) {
  const hashes = Uint32Array.from(places.keys()).sort()
  const ranks = new Uint32Array(hashes.length)
  hashes.forEach((hash, rank) => (ranks[places.get(hash)!] = rank))
  const starts = new Uint32Array(hashes.length + 1)
  for (let i = 0; i < length; i++) starts[ranks[terms[i]!]! + 1]!++
  for (let rank = 0; rank < hashes.length; rank++) starts[rank + 1]! += starts[rank]!
  const ends = starts.slice(0, -1)
  const documents = new Uint16Array(length)
  const found = new Uint8Array(length)
  for (let i = 0; i < length; i++) {
    const at = ends[ranks[terms[i]!]!]!++
    documents[at] = pages[i]!
    found[at] = Math.min(mostCount, counts[i]!)
  }
  return { hashes, starts, documents, counts: found }
}
