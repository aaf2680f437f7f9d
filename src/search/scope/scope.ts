import { cached } from '../../platform/lru-cache.ts'
import type { Entry } from '../../store/registry.ts'
import type { Collection, PageFacts } from '../collection.ts'
import { filterPages, isFiltering, type PageFilter } from './page-filter.ts'
import { detectQueryLanguage } from './query-language.ts'
import { isLanguageWanted } from '../../source/select/translations.ts'
import type { OpenGeneration } from '../../store/open-generation.ts'

export type OpenVersion = {
  entry: Entry
  open: OpenGeneration
  facts: ReadonlyMap<string, PageFacts>
}

/** A `passing` page passes the filter, but is not `searched` in an unsuitable language. */
export type PageCounts = { pages: number; passing: number; searched: number }

export type ScopedVersion = Pick<
  Collection,
  'entry' | 'whole' | 'open' | 'facts' | 'languageWeight'
> & { counts: PageCounts; isSearched(url: string): boolean }

/** Limits each library version to the pages that pass the filter and suit the query's language. */
export function scopeVersions(
  all: readonly OpenVersion[],
  { query, filter = {} }: { query: string; filter?: PageFilter },
): ScopedVersion[] {
  const listings = all.map(({ facts }) => listPages(facts))
  const isAll = !isFiltering(filter)
  const pages = listings.map((it) => it.pages)
  const passing = isAll ? pages : filterPages(pages, filter)
  const languagePages = isAll ? listings.flatMap((it) => it.languages) : passing.flat()
  const lane = filter.languages?.length ? null : languageLane(query, languagePages)
  return all.map(({ entry, open, facts }, i) => {
    const searched = lane ? passing[i]!.filter(lane.isEligible) : passing[i]!
    const isWhole = searched.length === facts.size
    const urls = isWhole ? null : new Set(searched.map(({ url }) => url))
    return {
      entry,
      whole: open,
      open: urls === null ? open : open.within(urls),
      facts,
      languageWeight: (url) => lane?.weight(facts.get(url)!) ?? 1,
      counts: { pages: facts.size, passing: passing[i]!.length, searched: searched.length },
      isSearched: (url) => (urls ?? facts).has(url),
    }
  })
}

type PageLists = { pages: readonly PageFacts[]; languages: readonly PageFacts[] }

/** Returns all pages, and each language's pages. Caches both because every query reads them. */
const listPages = cached((facts: OpenVersion['facts']): PageLists => {
  const pages = [...facts.values()]
  const ofLanguages = new Map(pages.map((page) => [page.language, page]))
  return { pages, languages: [...ofLanguages.values()] }
})

/** Decides by language which pages are searched and how much their hits weigh. */
type LanguageLane = { isEligible(page: PageFacts): boolean; weight(page: PageFacts): number }

/** Weight of a hit in the main language if the query is in another language. */
const mainWeight = 0.85
/** Weight of a hit in a translation if the query's language is unknown. */
const translationWeight = 0.75

/**
 * Returns the pages' eligibility and weight by language. Translations of a page contain the same
 * code and names, so an identifier, and often a sentence, matches every translation. An English
 * query therefore searches only the main language (English and pages without a language). A query
 * in a different language searches that language and the main one, and ranks its own first. A query
 * in an unknown language searches all pages and ranks translations lower. Returns null if all pages
 * are equal in this respect.
 */
export function languageLane(query: string, pages: Iterable<PageFacts>): LanguageLane | null {
  const languages = new Set<string>()
  let hasMain = false
  for (const { language } of pages) {
    if (isMain(language)) hasMain = true
    else languages.add(language!)
  }
  if (languages.size === 0) return null
  const queryCode = detectQueryLanguage(query)
  const isSpoken = (language: string | null) =>
    language !== null && queryCode !== null && isLanguageWanted(language, [queryCode])
  const isThere = [...languages].some(isSpoken)
  if (!hasMain && !isThere) return null
  if (queryCode === 'en' && hasMain) {
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
