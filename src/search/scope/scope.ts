import type { OpenGeneration } from '../../store/reading.ts'
import type { Entry } from '../../store/registry.ts'
import type { Collection } from '../collection.ts'
import { languageLane } from './language-lane.ts'
import type { PageFacts } from './page-facts.ts'
import { filteredPages, isFiltering, type PageFilter } from './page-filter.ts'

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
