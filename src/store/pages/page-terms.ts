import type { Table } from '@lancedb/lancedb'

/** BM25 over whole pages: `scores` by the page's number, 0 where none of the terms stands. */
export type PageTerms = {
  scores(terms: readonly string[]): Float32Array
  /** The logarithm that BM25 weighs a term with; largest where it stands on no page. */
  rarity(term: string): number
  knows(term: string): boolean
}

/**
 * The inverted index as it is kept. Terms are known by their 32-bit hash (two that share one count
 * as the same term); the postings of `hashes[i]`, ascending, begin at `starts[i]`.
 */
export type Postings = {
  hashes: Uint32Array
  starts: Uint32Array
  /** Page and how often the term stands there (at most 255), by posting. */
  pages: Uint16Array
  counts: Uint8Array
  /** Terms of each page. */
  lengths: Uint32Array
}

const k1 = 1.2
const b = 0.75
const mostCount = 255

/** Counts the terms of all chunks of each page; `vocabulary` has each term once. */
export async function pagePostings(
  chunks: Table,
  urls: readonly string[],
): Promise<Postings & { vocabulary: string[] }> {
  const numbers = new Map(urls.map((url, i) => [url, i]))
  const lengths = new Uint32Array(urls.length)
  const counts = new Map<number, Map<number, number>>()
  const vocabulary: string[] = []
  for await (const batch of chunks.query().select(['url', 'terms'])) {
    const [of, texts] = ['url', 'terms'].map((name) => [...batch.getChild(name)!] as string[])
    texts!.forEach((text, row) => {
      const page = numbers.get(of![row]!)
      if (page === undefined || text === '') return
      for (const term of text.split(' ')) {
        const key = hashOf(term)
        const known = counts.get(key)
        const ofTerm = known ?? new Map<number, number>()
        if (known === undefined) vocabulary.push(term)
        counts.set(key, ofTerm)
        ofTerm.set(page, (ofTerm.get(page) ?? 0) + 1)
        lengths[page]!++
      }
    })
  }
  return { ...packed(counts), lengths, vocabulary }
}

export function openPageTerms({ hashes, starts, pages, counts, lengths }: Postings): PageTerms {
  const mean = lengths.reduce((sum, length) => sum + length, 0) / lengths.length
  const rarityOf = (nPages: number) =>
    Math.log(1 + (lengths.length - nPages + 0.5) / (nPages + 0.5))
  const pagesAt = (at: number) => (at < 0 ? 0 : starts[at + 1]! - starts[at]!)
  return {
    rarity: (term) => rarityOf(pagesAt(placeOf(hashes, hashOf(term)))),
    knows: (term) => placeOf(hashes, hashOf(term)) >= 0,
    scores(terms) {
      const scores = new Float32Array(lengths.length)
      for (const term of terms) {
        const at = placeOf(hashes, hashOf(term))
        if (at < 0) continue
        const idf = rarityOf(pagesAt(at))
        for (let i = starts[at]!; i < starts[at + 1]!; i++) {
          const page = pages[i]!
          const damped = counts[i]! + k1 * (1 - b + (b * lengths[page]!) / mean)
          scores[page]! += (idf * counts[i]! * (k1 + 1)) / damped
        }
      }
      return scores
    },
  }
}

function packed(counts: ReadonlyMap<number, ReadonlyMap<number, number>>) {
  const hashes = Uint32Array.from(counts.keys()).sort()
  const starts = new Uint32Array(hashes.length + 1)
  hashes.forEach((key, i) => (starts[i + 1] = starts[i]! + counts.get(key)!.size))
  const pages = new Uint16Array(starts.at(-1)!)
  const found = new Uint8Array(starts.at(-1)!)
  hashes.forEach((key, i) => {
    let at = starts[i]!
    for (const [page, count] of counts.get(key)!) {
      pages[at] = page
      found[at++] = Math.min(mostCount, count)
    }
  })
  return { hashes, starts, pages, counts: found }
}

/** FNV-1a (Fowler, Noll and Vo) over UTF-16 units. */
function hashOf(term: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < term.length; i++) {
    hash = Math.imul(hash ^ term.charCodeAt(i), 0x01000193)
  }
  return hash >>> 0
}

/** By halving; negative where there is none. */
function placeOf(hashes: Uint32Array, wanted: number): number {
  let low = 0
  let high = hashes.length - 1
  while (low <= high) {
    const middle = (low + high) >>> 1
    const found = hashes[middle]!
    if (found === wanted) return middle
    if (found < wanted) low = middle + 1
    else high = middle - 1
  }
  return -1
}
