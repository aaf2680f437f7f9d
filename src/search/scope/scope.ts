import type { OpenGeneration } from '../../store/reading.ts'
import type { Entry } from '../../store/registry.ts'
import type { Collection } from '../collection.ts'
import type { PageFacts } from './page-facts.ts'
import { filteredPages, isFiltering, type PageFilter } from './page-filter.ts'
import { queryLanguage } from './query-language.ts'
import { isLanguageWanted } from '../../source/select/language.ts'

/** A library version as it is opened, and the facts of each of its pages, by url. */
export type OpenedVersion = {
  entry: Entry
  open: OpenGeneration
  facts: ReadonlyMap<string, PageFacts>
}

/** Of those `passing` the filter some may be in another language than the query, not `searched`. */
export type PageCounts = { pages: number; passing: number; searched: number }

/** Limited to what is searched of it. */
export type Scoped = Pick<Collection, 'entry' | 'whole' | 'open' | 'facts' | 'languageWeight'> & {
  counts: PageCounts
  isSearched(url: string): boolean
}

/** The pages that the filter and the language of the query let pass, of each library version. */
export function scoped(
  all: readonly OpenedVersion[],
  { query, filter = {} }: { query: string; filter?: PageFilter },
): Scoped[] {
  const listings = all.map(({ facts }) => listed(facts))
  const isAll = !isFiltering(filter)
  const pages = listings.map((it) => it.pages)
  const passing = isAll ? pages : filteredPages(pages, filter)
  const telling = isAll ? listings.flatMap((it) => it.languages) : passing.flat()
  const lane = filter.languages?.length ? null : languageLane(query, telling)
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

type Listed = { pages: readonly PageFacts[]; languages: readonly PageFacts[] }

const lists = new WeakMap<OpenedVersion['facts'], Listed>()

/** All pages, and one of each language, made once: each query goes through them. */
function listed(facts: OpenedVersion['facts']): Listed {
  const last = lists.get(facts)
  if (last !== undefined) return last
  const pages = [...facts.values()]
  const ofLanguages = new Map(pages.map((page) => [page.language, page]))
  const made = { pages, languages: [...ofLanguages.values()] }
  lists.set(facts, made)
  return made
}

/** Which pages a query is asked of first, by their languages, and what their hits are worth. */
type LanguageLane = { isEligible(page: PageFacts): boolean; weight(page: PageFacts): number }

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
export function languageLane(query: string, pages: Iterable<PageFacts>): LanguageLane | null {
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
