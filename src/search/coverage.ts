import { queryTerms, indexTermsOf, termsAmong } from '../chunk/terms.ts'

/** Further terms of a query are ignored. */
const mostTerms = 64
/**
 * Two terms are similar only if both have at least this many characters and their Dice coefficient
 * is high enough. Otherwise they are similar by chance.
 */
const shortest = 5
const leastLikeness = 0.6

type CoverageRule = { share: number; weight: (term: string) => number; isStrict: boolean }
type WeightedTerm = { term: string; weight: number }

/** Returns the terms of a query that `isCovered` checks. */
export function termsToCover(query: string): string[] {
  return queryTerms(query, mostTerms)
}

/** Returns the weighted share of query terms that each text contains, and that none contains. */
export function coveredShares(
  query: string,
  texts: readonly string[],
  weight: (term: string) => number,
): { shares: number[]; missing: number } {
  const weightedTerms = termsToCover(query).map((term) => ({ term, weight: weight(term) }))
  const total = weightOf(weightedTerms) || 1
  const terms = new Set(weightedTerms.map(({ term }) => term))
  const sets = texts.map((text) => termsAmong(terms, text))
  const inText = (set: ReadonlySet<string>) => weightedTerms.filter(({ term }) => set.has(term))
  const missing = weightedTerms.filter(({ term }) => !sets.some((set) => set.has(term)))
  return {
    shares: sets.map((set) => weightOf(inText(set)) / total),
    missing: weightOf(missing) / total,
  }
}

/**
 * True if at least one text contains the given `share` of the query's terms, weighted by `weight`.
 * A missing term counts in part, by its similarity to the most similar term of the text, because
 * people misremember names and mistype words: `findByIdAndUpdate` for `findOneAndUpdate`. With
 * `isStrict`, only plain words are compared this way, and a part of a term does not count: `limit`
 * does not match `$limit`.
 */
export function isCovered(
  query: string,
  texts: readonly string[],
  { share, weight, isStrict }: CoverageRule,
): boolean {
  const weightedTerms = termsToCover(query).map((term) => ({ term, weight: weight(term) }))
  if (share <= 0) return true
  const terms = new Set(weightedTerms.map(({ term }) => term))
  const neededWeight = share * weightOf(weightedTerms)
  return (
    neededWeight > 0 &&
    texts.some((text) => {
      const matches = termsAmong(terms, text)
      const missingTerms = weightedTerms.filter(({ term }) => !matches.has(term))
      const coveredWeight = weightOf(weightedTerms) - weightOf(missingTerms)
      const comparable = isStrict ? missingTerms.filter(({ term }) => isWord(term)) : missingTerms
      const long = comparable.filter(({ term }) => term.length >= shortest)
      // Compare all terms last, because this is slow and rarely changes the result.
      if (coveredWeight >= neededWeight || coveredWeight + weightOf(long) < neededWeight)
        return coveredWeight >= neededWeight
      const textTerms = new Set(indexTermsOf(text))
      const others = isStrict ? wordsNotIn(textTerms, weightedTerms) : textTerms
      const alike = long.map(({ term, weight }) => weight * bestSimilarity(term, others))
      return coveredWeight + sumOf(alike) >= neededWeight
    })
  )
}

function isWord(term: string): boolean {
  return /^\p{L}+$/u.test(term)
}

function wordsNotIn(
  textTerms: ReadonlySet<string>,
  query: readonly WeightedTerm[],
): Iterable<string> {
  const own = new Set(query.map(({ term }) => term))
  return [...textTerms].filter((term) => isWord(term) && !own.has(term))
}

/** Returns the highest similarity, or 0 if no term is similar enough. */
function bestSimilarity(term: string, others: Iterable<string>): number {
  const pairs = pairsOf(term)
  const distinct = new Set(pairs)
  let most = leastLikeness
  let best = 0
  for (const other of others) {
    if (Math.abs(other.length - term.length) * 2 > term.length) continue
    const size = pairs.length + other.length - 1
    if (2 * maxShared(distinct, other) < most * size) continue
    const likeness = (2 * nShared(pairs, pairsOf(other))) / size
    if (likeness >= most) most = best = likeness
  }
  return best
}

function pairAt(term: string, i: number): number {
  return term.charCodeAt(i) * 0x10000 + term.charCodeAt(i + 1)
}

function pairsOf(term: string): number[] {
  return Array.from({ length: term.length - 1 }, (_, i) => pairAt(term, i))
}

/** Returns a cheap upper bound on the number of character pairs that two terms share. */
function maxShared(distinct: ReadonlySet<number>, other: string): number {
  let count = 0
  for (let i = 0; i + 1 < other.length; i++) if (distinct.has(pairAt(other, i))) count++
  return count
}

function nShared(pairs: readonly number[], others: readonly number[]): number {
  const remaining = [...pairs]
  return others.filter((pair) => {
    const at = remaining.indexOf(pair)
    if (at >= 0) remaining.splice(at, 1)
    return at >= 0
  }).length
}

function weightOf(terms: readonly WeightedTerm[]): number {
  return sumOf(terms.map(({ weight }) => weight))
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0)
}
