import { queryTerms, terms } from '../../chunk/terms.ts'

/** A query of so few words that tell (no "how", no "the") is likely the name of a thing. */
const mostWords = 2
const mostTerms = 256

/** The terms of a query that names a thing (`$lookup`, `map`, `what is raylet`), else null. */
export function termsOfName(text: string): readonly string[] | null {
  const telling = queryTerms(text, mostTerms)
  const words = text.trim().split(/\s+/)
  const isTelling = (word: string) => terms(word).some((term) => telling.includes(term))
  return words.length <= 20 && words.filter(isTelling).length <= mostWords ? telling : null
}

/**
 * How far these terms are those of the name that comes nearest: Dice's coefficient, 1 where both
 * have the same. `$map` is nearer to `map` than to `mapReduce`, which BM25 over long texts is not.
 */
export function nameLikeness(queried: readonly string[], names: readonly string[][]): number {
  const distinct = new Set(queried)
  const likeness = names.map((name) => {
    const shared = name.filter((term) => distinct.has(term)).length
    return shared === 0 ? 0 : (2 * shared) / (name.length + distinct.size)
  })
  return Math.max(0, ...likeness)
}
