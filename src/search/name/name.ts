import { queryTerms, indexTermsOf } from '../../chunk/terms.ts'

/** A query with at most this many words, not counting "how" and the like, may be a name. */
const mostWords = 2
const mostTerms = 256

/** Returns the terms of a query that names a thing (`$lookup`, `what is raylet`), or null. */
export function nameQueryTerms(text: string): readonly string[] | null {
  if (last?.text !== text) last = { text, terms: termsOfName(text) }
  return last.terms
}

/** Caches the last query because several search stages need its terms. */
let last: { text: string; terms: readonly string[] | null } | null = null

function termsOfName(text: string): readonly string[] | null {
  const contentTerms = queryTerms(text, mostTerms)
  const words = text.trim().split(/\s+/)
  const isContentWord = (word: string) =>
    indexTermsOf(word).some((term) => contentTerms.includes(term))
  return words.length <= 20 && words.filter(isContentWord).length <= mostWords ? contentTerms : null
}

/**
 * Returns the Dice coefficient between the query terms and the terms of the most similar name, or 1
 * if they are the same. With this measure, `$map` is closer to `map` than to `mapReduce`, unlike
 * with BM25 over long texts.
 */
export function nameLikeness(query: readonly string[], names: readonly string[][]): number {
  const distinct = new Set(query)
  const likeness = names.map((name) => {
    const nShared = name.filter((term) => distinct.has(term)).length
    return nShared === 0 ? 0 : (2 * nShared) / (name.length + distinct.size)
  })
  return Math.max(0, ...likeness)
}

/** True for a query without letters or digits, such as `=>` or an emoji. */
export function isSigns(text: string): boolean {
  return /\S/.test(text) && !/[\p{L}\p{N}]/u.test(text)
}

/** True for a plain word without symbols. If many chunks contain it, a match is no evidence. */
export function isOrdinary({ verbatim }: { verbatim: string }): boolean {
  return /^\p{Lu}?\p{Ll}+$/u.test(verbatim)
}
