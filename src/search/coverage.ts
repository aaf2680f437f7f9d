import { queryTerms, terms } from '../chunk/terms.ts'

/** Longer queries are judged by the first of their terms. */
const mostTerms = 64
/** Shorter terms are alike by chance, and so are terms that share less (Dice's coefficient). */
const shortest = 5
const leastLikeness = 0.6

type CoverageRule = { share: number; weight: (term: string) => number; isStrict: boolean }
type Weighed = { term: string; weight: number }

/** The terms of a query that `isCovered` looks for. */
export function coveredTerms(query: string): string[] {
  return queryTerms(query, mostTerms)
}

/**
 * Whether one of the texts holds `share` of the query's terms, each counted by its `weight`. A term
 * that a text lacks still counts, by how similar the most similar term of that text is, since
 * people misremember names and mistype words: `findByIdAndUpdate` for `findOneAndUpdate`. With
 * `isStrict` only words are compared in this way, and no term with a part of itself: `limit` does
 * not count for `$limit`.
 */
export function isCovered(
  query: string,
  texts: readonly string[],
  { share, weight, isStrict }: CoverageRule,
): boolean {
  const queried = coveredTerms(query).map((term) => ({ term, weight: weight(term) }))
  if (share <= 0) return true
  const needed = share * weightOf(queried)
  return (
    needed > 0 &&
    texts.some((text) => {
      const held = new Set(terms(text))
      const missing = queried.filter(({ term }) => !held.has(term))
      const covered = weightOf(queried) - weightOf(missing)
      const comparable = isStrict ? missing.filter(({ term }) => isWord(term)) : missing
      const long = comparable.filter(({ term }) => term.length >= shortest)
      // To compare all with all takes longest, and seldom matters.
      if (covered >= needed || covered + weightOf(long) < needed) return covered >= needed
      const others = isStrict ? strangers(held, queried) : held
      const alike = long.map(({ term, weight }) => weight * likest(term, others))
      return covered + sumOf(alike) >= needed
    })
  )
}

function isWord(term: string): boolean {
  return /^\p{L}+$/u.test(term)
}

/** The words of a text that the query does not have. */
function strangers(held: ReadonlySet<string>, queried: readonly Weighed[]): Iterable<string> {
  const own = new Set(queried.map(({ term }) => term))
  return [...held].filter((term) => isWord(term) && !own.has(term))
}

/** The likeness of the likest term; 0 where none is like it. */
function likest(term: string, held: Iterable<string>): number {
  const pairs = pairsOf(term)
  const distinct = new Set(pairs)
  let most = leastLikeness
  let best = 0
  for (const other of held) {
    if (Math.abs(other.length - term.length) * 2 > term.length) continue
    const size = pairs.length + other.length - 1
    if (2 * mostShared(distinct, other) < most * size) continue
    const likeness = (2 * shared(pairs, pairsOf(other))) / size
    if (likeness >= most) most = best = likeness
  }
  return best
}

/** Two neighbouring characters as one number. */
function pairAt(term: string, i: number): number {
  return term.charCodeAt(i) * 0x10000 + term.charCodeAt(i + 1)
}

function pairsOf(term: string): number[] {
  return Array.from({ length: term.length - 1 }, (_, i) => pairAt(term, i))
}

/** At least what they share, and cheaper to know. */
function mostShared(distinct: ReadonlySet<number>, other: string): number {
  let count = 0
  for (let i = 0; i + 1 < other.length; i++) if (distinct.has(pairAt(other, i))) count++
  return count
}

function shared(pairs: readonly number[], others: readonly number[]): number {
  const left = [...pairs]
  return others.filter((pair) => {
    const at = left.indexOf(pair)
    if (at >= 0) left.splice(at, 1)
    return at >= 0
  }).length
}

function weightOf(weighed: readonly Weighed[]): number {
  return sumOf(weighed.map(({ weight }) => weight))
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0)
}
