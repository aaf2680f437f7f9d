/**
 * An inverted index in memory. A term is identified by its 32-bit hash, and terms with equal hashes
 * count as one. The postings of `hashes[i]` start at `starts[i]` and ascend.
 */
export type Postings = {
  hashes: Uint32Array
  starts: Uint32Array
  /** The document of each posting, and the term's occurrences in it (at most 255). */
  documents: Uint16Array | Uint32Array
  counts: Uint8Array
  lengths: Uint32Array
}

export type Bm25 = {
  /**
   * Returns scores by document number. A score is 0 if the document contains none of the terms or,
   * with `isAll`, lacks one.
   */
  scores(terms: readonly string[], options?: { isAll: boolean }): Float32Array
  rarity(term: string): number
  knows(term: string): boolean
}

/** The same parameters as in LanceDB (Robertson and Zaragoza 2009). */
const k1 = 1.2
const b = 0.75
const mostCount = 255

/**
 * Opens an index. Only documents marked with 1 count for the terms' rarity and the mean length.
 * Without `marks`, all documents count.
 */
export function openPostings(
  { hashes, starts, documents, counts, lengths }: Postings,
  marks: Uint8Array | null = null,
): Bm25 {
  const counted = marks === null ? lengths : lengths.filter((_, document) => marks[document] === 1)
  const mean = counted.reduce((sum, length) => sum + length, 0) / counted.length
  const rarityOf = (nDocuments: number) =>
    Math.log(1 + (counted.length - nDocuments + 0.5) / (nDocuments + 0.5))
  const documentsAt = (at: number) => {
    if (at < 0) return 0
    const [from, to] = [starts[at]!, starts[at + 1]!]
    if (marks === null) return to - from
    let nDocuments = 0
    for (let i = from; i < to; i++) nDocuments += marks[documents[i]!]!
    return nDocuments
  }
  return {
    rarity: (term) => rarityOf(documentsAt(indexOfHash(hashes, hashOf(term)))),
    knows: (term) => indexOfHash(hashes, hashOf(term)) >= 0,
    scores(terms, { isAll } = { isAll: false }) {
      const scores = new Float32Array(lengths.length)
      const nHeld = new Uint8Array(isAll ? lengths.length : 0)
      for (const term of terms) {
        const at = indexOfHash(hashes, hashOf(term))
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

export function indexOfTerm(hashes: Uint32Array, term: string): number {
  return indexOfHash(hashes, hashOf(term))
}

/** FNV-1a (Fowler, Noll and Vo) over UTF-16 units. */
const fnv = { start: 0x811c9dc5, prime: 0x01000193 }

function hashOf(term: string): number {
  let hash = fnv.start
  for (let i = 0; i < term.length; i++) {
    hash = Math.imul(hash ^ term.charCodeAt(i), fnv.prime)
  }
  return hash >>> 0
}

function indexOfHash(hashes: Uint32Array, hash: number): number {
  let low = 0
  let high = hashes.length - 1
  while (low <= high) {
    const middle = (low + high) >>> 1
    const here = hashes[middle]!
    if (here === hash) return middle
    if (here < hash) low = middle + 1
    else high = middle - 1
  }
  return -1
}

const space = 32

/**
 * Collects postings. All terms of a document must be added before the next document. Uses flat
 * lists because nested maps take 1 GB for 100,000 chunks.
 */
export function openPostingsBuilder(nDocuments: number) {
  const vocabulary: string[] = []
  const places = new Map<number, number>()
  const latest: number[] = []
  const lengths = new Uint32Array(nDocuments)
  /** One element per posting, in order of insertion. */
  const terms = growingList(Uint32Array)
  const counts = growingList(Uint8Array)
  const documents: DocumentStart[] = []
  return {
    vocabulary,
    add(document: number, text: string): void {
      if (documents.at(-1)?.document !== document) documents.push({ document, start: terms.length })
      const { start } = documents.at(-1)!
      let from = 0
      let hash = fnv.start
      for (let at = 0; at <= text.length; at++) {
        const code = at < text.length ? text.charCodeAt(at) : space
        if (code !== space) {
          hash = Math.imul(hash ^ code, fnv.prime)
          continue
        }
        if (at > from) {
          lengths[document]!++
          const place = places.get(hash >>> 0) ?? newPlace(hash >>> 0, text.slice(from, at))
          const posting = latest[place]!
          if (posting >= start) counts.set(posting, Math.min(mostCount, counts.at(posting) + 1))
          else {
            latest[place] = terms.push(place)
            counts.push(1)
          }
        }
        from = at + 1
        hash = fnv.start
      }
    },
    /** `kind` must be wide enough for every document number. */
    finished: (kind: NumbersOf<Postings['documents']>): Postings => ({
      ...byTerm({ places, terms, documents, counts }, kind),
      lengths,
    }),
  }

  function newPlace(hash: number, term: string): number {
    const place = vocabulary.push(term) - 1
    places.set(hash, place)
    latest.push(-1)
    return place
  }
}

type NumbersOf<Kind> = new (size: number) => Kind

/** A document's first posting. Its postings are adjacent. */
type DocumentStart = { document: number; start: number }

type CollectedPostings = {
  places: ReadonlyMap<number, number>
  terms: NumberList
  documents: readonly DocumentStart[]
  counts: NumberList
}

/** Sorts postings by hash. The documents of a term stay in order of insertion. */
function byTerm(
  { places, terms, documents, counts }: CollectedPostings,
  kind: NumbersOf<Postings['documents']>,
): Omit<Postings, 'lengths'> {
  const { length } = terms
  const hashes = Uint32Array.from(places.keys()).sort()
  const ranks = new Uint32Array(hashes.length)
  hashes.forEach((hash, rank) => (ranks[places.get(hash)!] = rank))
  const starts = new Uint32Array(hashes.length + 1)
  for (let i = 0; i < length; i++) starts[ranks[terms.at(i)]! + 1]!++
  for (let rank = 0; rank < hashes.length; rank++) starts[rank + 1]! += starts[rank]!
  const ends = starts.slice(0, -1)
  const sorted = { documents: new kind(length), counts: new Uint8Array(length) }
  documents.forEach(({ document, start }, i) => {
    const end = documents[i + 1]?.start ?? length
    for (let posting = start; posting < end; posting++) {
      const at = ends[ranks[terms.at(posting)]!]!++
      sorted.documents[at] = document
      sorted.counts[at] = counts.at(posting)
    }
  })
  return { hashes, starts, ...sorted }
}

type NumberList = {
  length: number
  push(value: number): number
  at(place: number): number
  set(place: number, value: number): void
}

const blockBits = 16
const blockMask = (1 << blockBits) - 1

/** A list of numbers that grows in blocks. Doubling an array would need three times its size. */
function growingList(kind: NumbersOf<Uint8Array | Uint32Array>): NumberList {
  const blocks: (Uint8Array | Uint32Array)[] = []
  const grown: NumberList = {
    length: 0,
    push(value) {
      if (grown.length >>> blockBits === blocks.length) blocks.push(new kind(1 << blockBits))
      grown.set(grown.length, value)
      return grown.length++
    },
    at: (place) => blocks[place >>> blockBits]![place & blockMask]!,
    set(place, value) {
      blocks[place >>> blockBits]![place & blockMask] = value
    },
  }
  return grown
}
