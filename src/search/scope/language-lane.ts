import { queryLanguage } from './query-language.ts'
import { isLanguageWanted } from '../../source/select/language.ts'
import type { PageFacts } from './page-facts.ts'

/** Which pages a query is asked of first, by their languages, and what their hits are worth. */
export type LanguageLane = {
  isEligible(page: PageFacts): boolean
  weight(page: PageFacts): number
}

/** What a hit in the main language is worth where the query is in another one. */
const mainWeight = 0.85
/** What a hit in a translation is worth where nothing tells the language of the query. */
const translationWeight = 0.75

/**
 * Translations of a page hold its code and its names, so that an identifier, and often a sentence,
 * is found in each: a query in the main language (English, and pages that say nothing) is asked of
 * that; one in another language of that one too, whose hits go before; one of no telling language
 * of all, whose translations come after. Null where there is nothing to choose between.
 */
export function languageLane(
  query: string,
  pages: Iterable<PageFacts>,
): LanguageLane | null {
  const languages = new Set<string>()
  let hasMain = false
  for (const { language } of pages) {
    if (isMain(language)) hasMain = true
    else languages.add(language!)
  }
  if (languages.size === 0) return null
  const spoken = queryLanguage(query)
  const isSpoken = (language: string | null) =>
    language !== null && spoken !== null && isLanguageWanted(language, [spoken])
  const isThere = [...languages].some(isSpoken)
  if (!hasMain && !isThere) return null
  if (spoken === 'en' && hasMain) {
    return { isEligible: ({ language }) => isMain(language), weight: () => 1 }
  }
  if (!isThere) {
    const weight = ({ language }: PageFacts) => (isMain(language) ? 1 : translationWeight)
    return { isEligible: () => true, weight }
  }
  return {
    isEligible: ({ language }) => isSpoken(language) || isMain(language),
    weight: ({ language }) => (isSpoken(language) ? 1 : mainWeight),
  }
}

function isMain(language: string | null): boolean {
  return language === null || isLanguageWanted(language, ['en'])
}
