/**
 * An inverted index in memory. Terms are known by their 32-bit hash (two that share one count as
 * the same term); the postings of `hashes[i]`, ascending, begin at `starts[i]`.
 */
export type Postings = {
  hashes: Uint32Array
  starts: Uint32Array
  /** A document's number and how often the term stands there (at most 255), by posting. */
  documents: Uint16Array | Uint32Array
  counts: Uint8Array
  /** Terms of each document. */
  lengths: Uint32Array
}

/** BM25 over documents: `scores` by the document's number. */
export type Bm25 = {
  /** 0 where none of the terms stands, or, where `isAll`, where one of them does not. */
  scores(terms: readonly string[], options?: { isAll: boolean }): Float32Array
  /** The logarithm that BM25 weighs a term with; largest where it stands nowhere. */
  rarity(term: string): number
  knows(term: string): boolean
}

/** As LanceDB has them (Robertson and Zaragoza 2009). */
const k1 = 1.2
const b = 0.75
export const mostCount = 255

export function openPostings({ hashes, starts, documents, counts, lengths }: Postings): Bm25 {
  const mean = lengths.reduce((sum, length) => sum + length, 0) / lengths.length
  const rarityOf = (nDocuments: number) =>
    Math.log(1 + (lengths.length - nDocuments + 0.5) / (nDocuments + 0.5))
  const documentsAt = (at: number) => (at < 0 ? 0 : starts[at + 1]! - starts[at]!)
  return {
    rarity: (term) => rarityOf(documentsAt(placeOf(hashes, hashOf(term)))),
    knows: (term) => placeOf(hashes, hashOf(term)) >= 0,
    scores(terms, { isAll } = { isAll: false }) {
      const scores = new Float32Array(lengths.length)
      const nHeld = new Uint8Array(isAll ? lengths.length : 0)
      for (const term of terms) {
        const at = placeOf(hashes, hashOf(term))
        if (at < 0) continue
        const idf = rarityOf(documentsAt(at))
        for (let i = starts[at]!; i < starts[at + 1]!; i++) {
          const document = documents[i]!
          const damped = counts[i]! + k1 * (1 - b + (b * lengths[document]!) / mean)
          scores[document]! += (idf * counts[i]! * (k1 + 1)) / damped
          if (isAll) nHeld[document]!++
        }
      }
      return isAll ? scores.map((score, i) => (nHeld[i] === terms.length ? score : 0)) : scores
    },
  }
}

/** FNV-1a (Fowler, Noll and Vo) over UTF-16 units. */
export function hashOf(term: string): number {
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
