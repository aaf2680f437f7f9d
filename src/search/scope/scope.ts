import type { OpenGeneration } from '../../store/reading.ts'
import type { Entry } from '../../store/registry.ts'
import type { Collection } from '../collection.ts'
import type { PageFacts } from './page-facts.ts'
import { filteredPages, isFiltering, type PageFilter } from './page-filter.ts'
import { queryLanguage } from './query-language.ts'
import { isLanguageWanted } from '../../source/select/language.ts'

/** An open library version and the facts of its pages, by URL. */
export type OpenedVersion = {
  entry: Entry
  open: OpenGeneration
  facts: ReadonlyMap<string, PageFacts>
}

/**
 * Pages that pass the filter (`passing`) are not `searched` if they are in another language than
 * the query.
 */
export type PageCounts = { pages: number; passing: number; searched: number }

/** A library version limited to the pages that are searched. */
export type Scoped = Pick<Collection, 'entry' | 'whole' | 'open' | 'facts' | 'languageWeight'> & {
  counts: PageCounts
  isSearched(url: string): boolean
}

/**
 * Limits each library version to the pages that pass the filter and fit the language of the query.
 */
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

/**
 * Lists all pages, and one page per language. The lists are cached, because every query iterates
 * over them.
 */
function listed(facts: OpenedVersion['facts']): Listed {
  const last = lists.get(facts)
  if (last !== undefined) return last
  const pages = [...facts.values()]
  const ofLanguages = new Map(pages.map((page) => [page.language, page]))
  const made = { pages, languages: [...ofLanguages.values()] }
  lists.set(facts, made)
  return made
}

/** Decides by language which pages are searched, and weighs their hits. */
type LanguageLane = { isEligible(page: PageFacts): boolean; weight(page: PageFacts): number }

/** Weight of a hit in the main language if the query is in another language. */
const mainWeight = 0.85
/** Weight of a hit in a translation if the language of the query is unknown. */
const translationWeight = 0.75

/**
 * Translations of a page contain the same code and names, so an identifier, and often a sentence,
 * matches every translation. An English query therefore searches only the main language (English
 * and pages without a language). A query in another language searches that language and the main
 * one, and ranks its own first. A query in an unknown language searches all pages and ranks
 * translations lower. Returns null if there is nothing to choose between.
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
