import { indexTermsOf } from '../../chunk/terms.ts'
import { isLanguageWanted } from '../../source/select/translations.ts'
import type { Collection } from '../collection.ts'
import { detectQueryLanguage } from '../scope/query-language.ts'
import { glossaryLanguages, translateWords, type WordTranslation } from './translate.ts'

type CollectionView = Pick<Collection, 'open' | 'facts' | 'embed'>
type Pages = NonNullable<Awaited<ReturnType<CollectionView['open']['pageIndex']>>>

const most = { collections: 16, characters: 2000 }

/**
 * Translates a query into English with a glossary if no collection has pages in its language. This
 * is needed because the model knows only English, and English pages do not contain the query's
 * words. Names and words that are not in the glossary stay unchanged. Returns null if there is
 * nothing to translate, or if a collection has no page index.
 */
export async function translateQuery(
  collections: readonly CollectionView[],
  text: string,
): Promise<string | null> {
  if (collections.length > most.collections || text.length > most.characters) return null
  if (!collections.every(isOfEnglishModel)) return null
  const language = detectQueryLanguage(text)
  const codes = glossaryLanguages.filter((code) => language === code || language === null)
  if (codes.length === 0) return null
  const all = await Promise.all(collections.map(({ open }) => open.pageIndex()))
  const pages = all.filter((it) => it !== null)
  if (pages.length < collections.length) return null
  const isKnown = (term: string) => pages.some((it) => it.knows(term))
  const isStrange = (word: string) =>
    /^\p{L}{4,}/u.test(word) && !isKnown(indexTermsOf(word)[0] ?? '')
  // Most queries stop here: if every word is known, there is nothing to translate.
  if (!text.split(/[\s\p{P}]+/u).some(isStrange)) return null
  const pagesHave = { isKnown, isGuess: language === null }
  const isCounted = (one: WordTranslation) =>
    (language !== null || isOther(one)) && isForeign(one, isStrange)
  const ranked = codes
    .map((code) => ({ code, english: translateWords(text, code, pagesHave) }))
    .map((it) => ({ ...it, strange: it.english.filter((one) => isCounted(one)).length }))
    .sort((a, b) => b.strange - a.strange)
  const [best, next] = ranked
  if (best!.strange === 0 || best!.strange === next?.strange) return null
  if (language === null && !isCertain(text, best!.strange, isKnown)) return null
  if (collections.some((it, i) => hasPagesIn(it, pages[i]!, best!.code))) return null
  return best!.english.map(({ source, english }) => english ?? source).join(' ')
}

/** True for an English-only model. A multilingual one may outdo the glossary. */
function isOfEnglishModel({ open, embed }: CollectionView): boolean {
  const { fingerprint } = open.generation
  return embed === null || fingerprint === null || /[-_]en\b/.test(fingerprint.model)
}

/** True if the glossary has the word and no page does. */
function isForeign(
  { source, english }: WordTranslation,
  isStrange: (word: string) => boolean,
): boolean {
  return english !== null && source.split(/[\s-]/).some(isStrange)
}

/** True if only the glossary knows the word and translates it to a different word. */
function isOther({ source, english, isSure }: WordTranslation): boolean {
  return isSure && english !== null && indexTermsOf(english).join() !== indexTermsOf(source).join()
}

/**
 * True if a query without function words is certainly in the glossary's language. It has letters of
 * that language, or several unknown words, or one unknown word and at most one other word that no
 * page contains.
 */
function isCertain(text: string, nStrange: number, isKnown: (term: string) => boolean): boolean {
  if (nStrange >= 2 || /[äöüßàâçèéêëîïôùûœ]/i.test(text)) return true
  const words = text.trim().split(/\s+/)
  const isEnglish = (word: string) =>
    /\p{L}{4,}/u.test(word) && isKnown(indexTermsOf(word)[0] ?? '')
  return words.length <= 2 && !words.some(isEnglish)
}

/** Words that are on many pages in a language and on few English pages. */
const frequentWords: Record<string, string[]> = {
  de: ['und', 'der', 'ist', 'nicht'],
  fr: ['les', 'est', 'pour', 'une'],
}
const frequentShare = 0.2

function hasPagesIn({ facts }: CollectionView, pages: Pages, code: string): boolean {
  for (const { language } of facts.values()) {
    if (language !== null && isLanguageWanted(language, [code])) return true
  }
  const shares = frequentWords[code]!.map((word) => {
    const [term = ''] = indexTermsOf(word)
    return pages.knows(term) ? Math.exp(-pages.rarity(term)) : 0
  })
  return shares.filter((share) => share > frequentShare).length * 2 >= shares.length
}
