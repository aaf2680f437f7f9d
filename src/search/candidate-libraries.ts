import { queryTerms } from '../chunk/terms.ts'
import { nearestCentre, type LibraryCard } from '../store/library-cards.ts'
import { indexOfTerm } from '../store/postings.ts'

/** A library whose `card` is null is always searched. */
export type CardedLibrary = {
  card: LibraryCard | null
  /** Always searched because the query names it or the project uses it. */
  isMeant: boolean
  /** The query's embedding by this library's model. If null, only full text is compared. */
  embedding: Float32Array | null
}

export const mostLibraries = 8
const mostTerms = 64

/**
 * Returns the indexes of the libraries to search, in ascending order. Takes all libraries that have
 * no card or are `isMeant`. Then takes the best by full text and the best by embeddings in turn.
 */
export function candidateLibraries(all: readonly CardedLibrary[], query: string): number[] {
  const chosen = new Set(
    all.flatMap(({ card, isMeant }, i) => (card === null || isMeant ? [i] : [])),
  )
  const lists = [bestFirst(wordScores(all, queryTerms(query, mostTerms))), bestFirst(cosines(all))]
  for (let at = 0; at < all.length; at++) {
    for (const list of lists) {
      const next = list[at]
      if (next !== undefined && chosen.size < mostLibraries) chosen.add(next)
    }
  }
  return [...chosen].sort((a, b) => a - b)
}

function bestFirst(scores: readonly (number | null)[]): number[] {
  const ranking = scores.flatMap((score, i) => (score === null ? [] : [{ score, i }]))
  return ranking.sort((a, b) => b.score - a.score).map(({ i }) => i)
}

/** Dampens the number of pages with a term: `base` is constant, `size` grows with the library. */
const damping = { base: 5, size: 15 }

/**
 * Scores libraries by CORI (Callan, Lu and Croft 1995) over pages. A term counts more if few
 * libraries contain it and many pages of this library do. A library that contains none of the terms
 * gets null.
 */
function wordScores(all: readonly CardedLibrary[], terms: readonly string[]): (number | null)[] {
  const cards = all.map(({ card }) => card)
  const present = cards.filter((card) => card !== null)
  const pages = present.reduce((sum, card) => sum + card.pages, 0) / Math.max(1, present.length)
  const scores = cards.map(() => 0)
  for (const term of terms) {
    const counts = cards.map((card) => (card === null ? 0 : pagesWith(card, term)))
    const nLibraries = counts.filter((count) => count > 0).length
    if (nLibraries === 0) continue
    const rarity = Math.log((cards.length + 0.5) / nLibraries) / Math.log(cards.length + 1)
    counts.forEach((count, i) => {
      if (count === 0) return
      const damped = count + damping.base + (damping.size * cards[i]!.pages) / pages
      scores[i]! += rarity * (0.4 + (0.6 * count) / damped)
    })
  }
  return scores.map((score) => (score === 0 ? null : score))
}

function pagesWith({ hashes, counts }: LibraryCard, term: string): number {
  const at = indexOfTerm(hashes, term)
  return at < 0 ? 0 : counts[at]!
}

function cosines(all: readonly CardedLibrary[]): (number | null)[] {
  return all.map(({ card, embedding }) => card && embedding && nearestCentre(card, embedding))
}
