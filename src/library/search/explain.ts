import { removeStackFrames } from '../../search/traceback.ts'
import { translateQuery } from '../../search/translation/foreign.ts'
import { queryTerms, indexTermsOf } from '../../chunk/terms.ts'
import { OgError } from '../../platform/error.ts'
import { explainPage, type RerankedPlace } from '../../search/explain.ts'
import type { ScoreParts } from '../../search/fuse.ts'
import type { ScoredChunk } from '../../search/group.ts'
import { pageFacts, type PageFacts } from '../../search/scope/page-facts.ts'
import { excludingParts, type PageFilter } from '../../search/scope/page-filter.ts'
import { selectEntries, type NotIndexed } from './entry-selection.ts'
import { collectionsOf, type ScopedCollection } from './collections.ts'
import type { OpenVersions, OpenEntries } from '../entries.ts'
import type { SearchRequest } from '../library.ts'
import type { LibraryContext } from '../library-context.ts'
import { findFullPage, similarAddresses } from '../page.ts'
import { nothingIndexedError } from '../../version/unknown-version.ts'
import { defaultVersion } from '../../version/version.ts'

export type ExplainRequest = Omit<SearchRequest, 'limit' | 'mode'> & { url: string }

export type ExplainedChunk = {
  url: string
  title: string
  heading: string
  startLine: number
  endLine: number
  score: number
  why: ScoreParts
  missing: string[]
}

/**
 * Why a page was not searched: it is in another library or version, the filter excludes it, or the
 * query is in another language for which the library has pages.
 */
export type Exclusion = {
  by: ('library' | 'version' | keyof PageFilter | 'query')[]
  versions: string[]
} & Pick<PageFacts, 'path' | 'kind' | 'language'>

export type PageRank = {
  query: string
  url: string
  /** The library that contains the page. */
  library: string
  version: string
  /**
   * Null if the page was searched. Otherwise `place` is the rank without the filter, or in the
   * version that contains the page.
   */
  leftOut: Exclusion | null
  notIndexed: NotIndexed[]
  /** Starts at 1; null if neither full text nor vectors rank the page. */
  place: number | null
  nPages: number
  first: ExplainedChunk | null
  /** The best passage of the page; null if none of its passages is a hit. */
  best: ExplainedChunk | null
  reranked: RerankedPlace | null
}

/**
 * Returns the rank of a page for a query, and the reasons for it. For a page that was not searched,
 * returns the reason and the rank that it would have. Throws an OgError if no library version has
 * the page.
 */
export async function explainRank(
  context: LibraryContext,
  entries: OpenEntries,
  rawRequest: ExplainRequest,
): Promise<PageRank> {
  const typed = { ...rawRequest, query: removeStackFrames(rawRequest.query) }
  const { filter = {} } = typed
  let notIndexed: NotIndexed[] = []
  using openVersions = await entries((all) => {
    const meant = selectEntries(all, typed)
    notIndexed = meant.notIndexed
    return meant.entries
  })
  if (openVersions.length === 0) throw nothingIndexedError()
  const collections = await collectionsOf(context, openVersions, { ...typed, limit: 1 })
  const isExact = collections.some(({ facts }) => facts.has(typed.url))
  const url = isExact ? typed.url : await findAddress(entries, typed)
  const request = { ...typed, url }
  const asking = { ...request, limit: 1 }
  const holders = collections.filter(({ facts }) => facts.has(url))
  const versions = openVersions.map(({ entry }) => `${entry.library} ${entry.version}`)
  if (holders.length === 0) {
    using others = await entries((all) =>
      all.filter(({ live }) => !openVersions.some(({ entry }) => entry.live.id === live.id)),
    )
    const elsewhere = await findElsewhere(context, { others, openVersions }, asking)
    if (elsewhere === null) throw noPage(versions, url, await similarAddresses(entries, inAll(url)))
    const standing = await standingAmong([elsewhere], [elsewhere], { context, request })
    const isAsked = openVersions.some(({ entry }) => entry.library === standing.library)
    const by = [isAsked ? ('version' as const) : ('library' as const)]
    return { ...standing, leftOut: { by, versions, ...factsOf(elsewhere, url) }, notIndexed }
  }
  const searched = holders.filter((one) => one.isSearched(url))
  if (searched.length === 0) {
    const whole = collections.map(withAllPages)
    const holding = whole.filter(({ facts }) => facts.has(url))
    const facts = factsOf(holding[0]!, url)
    const by = excludingParts(facts, filter)
    const standing = await standingAmong(whole, holding, { context, request })
    const leftOut = { by: by.length > 0 ? by : ['query' as const], versions, ...facts }
    return { ...standing, leftOut, notIndexed }
  }
  const standing = await standingAmong(collections, searched, { context, request })
  return { ...standing, leftOut: null, notIndexed }
}

async function findAddress(entries: OpenEntries, request: ExplainRequest): Promise<string> {
  const { url, library, version, project } = request
  const query = { url, library, version: version === 'all' ? null : version, project }
  const page = (await findFullPage(entries, query)) ?? (await findFullPage(entries, inAll(url)))
  return page?.url ?? url
}

function inAll(url: string) {
  return { url, library: null, version: null, project: null }
}

function withAllPages(one: ScopedCollection): ScopedCollection {
  return { ...one, open: one.whole, languageWeight: () => 1 }
}

/**
 * Finds the page in a version that was not requested: first in another version of the same library,
 * then in the default version of another library.
 */
async function findElsewhere(
  context: LibraryContext,
  { others, openVersions }: { others: OpenVersions; openVersions: OpenVersions },
  { url, filter: _, ...unfiltered }: ExplainRequest & SearchRequest,
): Promise<ScopedCollection | null> {
  const facts = await Promise.all(others.map(({ open }) => pageFacts(open)))
  const keys = new Set(openVersions.map(({ entry }) => entry.key))
  const holders = others.filter((_, i) => facts[i]!.has(url))
  const first = holders.find(({ entry }) => keys.has(entry.key)) ?? holders[0]
  if (first === undefined) return null
  const mine = holders.filter(({ entry }) => entry.key === first.entry.key)
  const version = defaultVersion(mine.map(({ entry }) => entry.version))
  const chosen = mine.filter(({ entry }) => entry.version === version).slice(0, 1)
  const [collection] = await collectionsOf(context, chosen, unfiltered)
  return withAllPages(collection!)
}

function factsOf({ facts }: ScopedCollection, url: string) {
  const { path, kind, language } = facts.get(url)!
  return { path, kind, language }
}

type Asking = { context: LibraryContext; request: ExplainRequest }

async function standingAmong(
  collections: readonly ScopedCollection[],
  holders: readonly ScopedCollection[],
  { context: { kernels, rerank }, request: { query, url } }: Asking,
) {
  const text = (await translateQuery(collections, query)) ?? query
  const ranking = { text, mode: 'hybrid', limit: 1, kernels, rerank: rerank ?? null } as const
  const page = await explainPage(collections, ranking, { url, holders })
  const { library, version } = (page.best?.collection ?? holders[0]!).entry
  const shown = (chunk: ScoredChunk | null) => chunk && explainedChunk(chunk, text)
  return { ...page, query, url, library, version, first: shown(page.first), best: shown(page.best) }
}

function noPage(versions: readonly string[], url: string, near: readonly string[]): OgError {
  const where = versions.length > 0 ? ` in ${versions.join(', ')} or any other library` : ''
  return new OgError(`No page has the address "${url}"${where}`, {
    hint:
      near.length > 0
        ? `the nearest: ${near.join(' ')}`
        : '"og query" prints the addresses of pages',
    exitCode: 1,
  })
}

function explainedChunk({ row, score, why }: ScoredChunk, query: string): ExplainedChunk {
  const held = new Set(indexTermsOf(`${row.title}\n${row.heading}\n${row.content}`))
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
