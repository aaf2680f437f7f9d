import { indexTermsOf } from '../../chunk/terms.ts'
import { longestTerm } from '../../store/pages/vocabulary.ts'
import type { Collection } from '../collection.ts'
import { namedWords } from './exact-name.ts'

/** Returns the index terms of names that the query spells: `onauxclick` for `on aux click`. */
export async function spelledNames(
  collections: readonly Pick<Collection, 'open'>[],
  text: string,
): Promise<string[]> {
  const letters = namedWords(text).join('')
  if (letters === '' || collections.length > maxVocabularies) return []
  // A name that consists of letters is stored as its stem.
  const [stem = letters] = indexTermsOf(letters)
  const lists = await Promise.all(
    collections.map(async ({ open }) => {
      // Vocabularies lack longer terms, and reading one is slow.
      const read = letters.length > longestTerm ? null : open.vocabulary()
      const [pages, vocabulary] = await Promise.all([open.pageIndex(), read])
      return [...(pages?.knows(stem) ? [stem] : []), ...(vocabulary?.spelled(letters) ?? [])]
    }),
  )
  return [...new Set(lists.flat())]
}

/** Matches a name that joins the query's words without blanks, but not inside a longer word. */
export function spellingPattern(text: string): RegExp {
  const name = namedWords(text).join(String.raw`[^\p{L}\p{N}\s]{0,3}`)
  return new RegExp(String.raw`(?<![\p{L}\p{N}])${name}(?![\p{L}\p{N}])`, 'iu')
}

/** If more collections are searched, vocabularies are skipped. Each takes 0.5 ms. */
export const maxVocabularies = 16
