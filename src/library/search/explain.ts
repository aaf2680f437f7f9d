import { withoutFrames } from '../../search/traceback.ts'
import { translateQuery } from '../../search/translation/foreign.ts'
import { queryTerms, terms } from '../../chunk/terms.ts'
import { OgError } from '../../platform/error.ts'
import { explainPage } from '../../search/explain.ts'
import type { ScoreParts } from '../../search/fuse.ts'
import type { ScoredChunk } from '../../search/group.ts'
import { pageFacts, type PageFacts } from '../../search/scope/page-facts.ts'
import { excludingParts, type PageFilter } from '../../search/scope/page-filter.ts'
import { selectEntries, type NotIndexed } from './entry-selection.ts'
import { collectionsOf, type ScopedCollection } from './collections.ts'
import type { Held, OpenEntries } from '../entries.ts'
import type { SearchRequest } from '../library.ts'
import type { Opened } from '../opened.ts'
import { nothingIndexed } from '../../version/unknown.ts'
import { defaultVersion } from '../../version/version.ts'

export type ExplainRequest = Omit<SearchRequest, 'limit' | 'mode'> & { url: string }

/** A chunk as an explanation shows it. */
export type ExplainedChunk = {
  url: string
  title: string
  heading: string
  startLine: number
  endLine: number
  score: number
  why: ScoreParts
  /** Words of the query, as index terms, that neither the passage nor its headings have. */
  missing: string[]
}

/**
 * Why a page was not searched: it is in another library or version than those asked, a part of the
 * filter leaves it out, or the query is in another language, and there are pages in that one.
 */
export type LeftOut = {
  by: ('library' | 'version' | keyof PageFilter | 'query')[]
  /** What was asked, `ray 2.0.0`. */
  versions: string[]
} & Pick<PageFacts, 'path' | 'kind' | 'language'>

export type PageStanding = {
  query: string
  url: string
  /** That has the page. */
  library: string
  version: string
  /** Null: it was. Else the standing is that without the filter, or in the version that has it. */
  leftOut: LeftOut | null
  /** What was asked for beside others and is not there. */
  notIndexed: NotIndexed[]
  /** 1: the first; null: no lane has it among what counts. */
  place: number | null
  /** How many pages are ranked. */
  nPages: number
  first: ExplainedChunk | null
  /** The page's best passage; null where nothing of it is found at all. */
  best: ExplainedChunk | null
}

/**
 * Where a page stands for a query, and by what; of one that was not searched, why not, and where it
 * would stand. Throws OgError where no library version has the page.
 */
export async function explainStanding(
  opened: Opened,
  entries: OpenEntries,
  typed: ExplainRequest,
): Promise<PageStanding> {
  const request = { ...typed, query: withoutFrames(typed.query) }
  const { url, filter = {} } = request
  let notIndexed: NotIndexed[] = []
  using held = await entries((all) => {
    const meant = selectEntries(all, request)
    notIndexed = meant.notIndexed
    return meant.entries
  })
  if (held.length === 0) throw nothingIndexed()
  const asking = { ...request, limit: 1 }
  const collections = await collectionsOf(opened, held, asking)
  const holders = collections.filter(({ facts }) => facts.has(url))
  const versions = held.map(({ entry }) => `${entry.library} ${entry.version}`)
  if (holders.length === 0) {
    using others = await entries((all) =>
      all.filter(({ live }) => !held.some(({ entry }) => entry.live.id === live.id)),
    )
    const elsewhere = await holderElsewhere(opened, { others, held }, asking)
    if (elsewhere === null) throw noPage(versions, url)
    const standing = await standingAmong([elsewhere], [elsewhere], { opened, request })
    const isAsked = held.some(({ entry }) => entry.library === standing.library)
    const by = [isAsked ? ('version' as const) : ('library' as const)]
    return { ...standing, leftOut: { by, versions, ...factsOf(elsewhere, url) }, notIndexed }
  }
  const searched = holders.filter((one) => one.isSearched(url))
  if (searched.length === 0) {
    const whole = collections.map(wholly)
    const holding = whole.filter(({ facts }) => facts.has(url))
    const facts = factsOf(holding[0]!, url)
    const by = excludingParts(facts, filter)
    const standing = await standingAmong(whole, holding, { opened, request })
    const leftOut = { by: by.length > 0 ? by : ['query' as const], versions, ...facts }
    return { ...standing, leftOut, notIndexed }
  }
  const standing = await standingAmong(collections, searched, { opened, request })
  return { ...standing, leftOut: null, notIndexed }
}

/** With all of its pages, in whatever language. */
function wholly(one: ScopedCollection): ScopedCollection {
  return { ...one, open: one.whole, languageWeight: () => 1 }
}

/** Alone: another version of a library that was asked, else another library; the default one. */
async function holderElsewhere(
  opened: Opened,
  { others, held }: { others: Held; held: Held },
  { url, filter: _, ...unfiltered }: ExplainRequest & SearchRequest,
): Promise<ScopedCollection | null> {
  const facts = await Promise.all(others.map(({ open }) => pageFacts(open)))
  const keys = new Set(held.map(({ entry }) => entry.key))
  const holders = others.filter((_, i) => facts[i]!.has(url))
  const first = holders.find(({ entry }) => keys.has(entry.key)) ?? holders[0]
  if (first === undefined) return null
  const mine = holders.filter(({ entry }) => entry.key === first.entry.key)
  const version = defaultVersion(mine.map(({ entry }) => entry.version))
  const chosen = mine.filter(({ entry }) => entry.version === version).slice(0, 1)
  const [collection] = await collectionsOf(opened, chosen, unfiltered)
  return wholly(collection!)
}

function factsOf({ facts }: ScopedCollection, url: string) {
  const { path, kind, language } = facts.get(url)!
  return { path, kind, language }
}

type Asking = { opened: Opened; request: ExplainRequest }

async function standingAmong(
  collections: readonly ScopedCollection[],
  holders: readonly ScopedCollection[],
  { opened: { kernels }, request: { query, url } }: Asking,
) {
  const text = (await translateQuery(collections, query)) ?? query
  const ranking = { text, mode: 'hybrid', limit: 1, kernels } as const
  const { place, nPages, first, best } = await explainPage(collections, ranking, { url, holders })
  const { library, version } = (best?.collection ?? holders[0]!).entry
  const shown = (chunk: ScoredChunk | null) => chunk && explainedChunk(chunk, text)
  return { query, url, library, version, place, nPages, first: shown(first), best: shown(best) }
}

function noPage(versions: readonly string[], url: string): OgError {
  const where = versions.length > 0 ? ` in ${versions.join(', ')} or any other library` : ''
  return new OgError(`No page has the address "${url}"${where}`, {
    hint: 'addresses are those that "og query" prints',
    exitCode: 1,
  })
}

function explainedChunk({ row, score, why }: ScoredChunk, query: string): ExplainedChunk {
  const held = new Set(terms(`${row.title}\n${row.heading}\n${row.content}`))
  return {
    url: row.url,
    title: row.title,
    heading: row.heading,
    startLine: row.start_line,
    endLine: row.end_line,
    score,
    why,
    missing: queryTerms(query, 64).filter((term) => !held.has(term)),
  }
}
