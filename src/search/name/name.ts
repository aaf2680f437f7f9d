import { queryTerms, terms } from '../../chunk/terms.ts'

/**
 * A query with this few content words (without "how", "the" and the like) is probably the name of a
 * thing.
 */
const mostWords = 2
const mostTerms = 256

/**
 * Returns the terms of a query that names a thing (`$lookup`, `map`, `what is raylet`); otherwise
 * null.
 */
export function termsOfName(text: string): readonly string[] | null {
  const telling = queryTerms(text, mostTerms)
  const words = text.trim().split(/\s+/)
  const isTelling = (word: string) => terms(word).some((term) => telling.includes(term))
  return words.length <= 20 && words.filter(isTelling).length <= mostWords ? telling : null
}

/**
 * Returns the Dice coefficient between the query terms and the terms of the most similar name; 1 if
 * they are equal. By this measure `$map` is nearer to `map` than to `mapReduce`; by BM25 over long
 * texts it is not.
 */
export function nameLikeness(queried: readonly string[], names: readonly string[][]): number {
  const distinct = new Set(queried)
  const likeness = names.map((name) => {
    const shared = name.filter((term) => distinct.has(term)).length
    return shared === 0 ? 0 : (2 * shared) / (name.length + distinct.size)
  })
  return Math.max(0, ...likeness)
}
