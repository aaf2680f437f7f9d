import type { ScoredChunk } from '../hybrid.ts'
import { bestFirst } from '../names-first.ts'
import type { OpenGeneration } from '../../store/reading.ts'
import type { Held } from '../../library/entries.ts'
import { languageLane } from './language-lane.ts'
import type { SearchRequest } from '../../library/library.ts'
import type { PageFacts } from './page-facts.ts'
import { filteredPages, isFiltering } from './page-filter.ts'

/** What is asked; `facts` are those of each entry's pages. */
export type Shelf = { found: Held; facts: readonly ReadonlyMap<string, PageFacts>[] }

/** Of those `passing` the filter some may be in another language than the query, not `searched`. */
export type PageCounts = { pages: number; passing: number; searched: number }

export type Scope = {
  /** Of each entry, in their order, its generation, limited to the pages that are searched. */
  opens: OpenGeneration[]
  /** The most versions that one library is asked of. */
  nVersions: number
  /** Of each entry, in their order, how many pages it has, and how many are searched, and why. */
  counts: PageCounts[]
  isSearched(index: number, url: string): boolean
  /** What the language of a page makes of its score. */
  languageWeight(chunk: { generationIndex: number; url: string }): number
  /** In their order, best first, with what their languages make of their scores. */
  weighted(ranked: ScoredChunk[]): ScoredChunk[]
}

/** The pages that the filter and the language of the query let pass. */
export function scopeOf(
  { found, facts }: Shelf,
  { query, filter = {} }: Pick<SearchRequest, 'query' | 'filter'>,
): Scope {
  const all = facts.map((known) => [...known.values()])
  const pages = isFiltering(filter) ? filteredPages(all, filter) : all
  const lane = filter.languages?.length ? null : languageLane(query, pages.flat())
  const wanted = lane ? pages.map((list) => list.filter(lane.isEligible)) : pages
  const opens = found.map(({ open }, i) => {
    if (wanted[i]!.length === all[i]!.length) return open
    return open.within(new Set(wanted[i]!.map(({ url }) => url)))
  })
  const languageWeight = ({ generationIndex, url }: { generationIndex: number; url: string }) =>
    lane?.weight(facts[generationIndex]!.get(url)!) ?? 1
  const libraries = Map.groupBy(found, ({ entry }) => entry.key)
  return {
    opens,
    nVersions: Math.max(...[...libraries.values()].map((group) => group.length)),
    counts: all.map((list, i) =>
      ({ pages: list.length, passing: pages[i]!.length, searched: wanted[i]!.length })),
    isSearched: (index, url) => wanted[index]!.some((page) => page.url === url),
    languageWeight,
    weighted: (ranked) =>
      ranked
        .map((chunk) => {
          const { generationIndex, row } = chunk
          const language = languageWeight({ generationIndex, url: row.url })
          return { ...chunk, score: chunk.score * language, why: { ...chunk.why, language } }
        })
        .sort(bestFirst),
  }
}
