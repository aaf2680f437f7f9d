import { queryTerms, terms } from '../../chunk/terms.ts'
import { OgError } from '../../platform/error.ts'
import { explainPage } from '../../search/explain.ts'
import type { ScoredChunk } from '../../search/hybrid.ts'
import { queryEmbedding } from '../../search/query-embedding.ts'
import type { Why } from '../../search/rank.ts'
import type { OpenGeneration } from '../../store/reading.ts'
import { askedEntries, type NotIndexed } from './asked.ts'
import { byModel } from './by-model.ts'
import type { Held, OpenEntries } from '../entries.ts'
import { libraryGains } from '../../search/library-gain.ts'
import type { SearchRequest } from '../library.ts'
import type { Opened } from '../opened.ts'
import { pageFacts, type PageFacts } from '../../search/scope/page-facts.ts'
import { unmetParts, type PageFilter } from '../../search/scope/page-filter.ts'
import { scopeOf, type Scope, type Shelf } from '../../search/scope/scope.ts'
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
  why: Why
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
  asked: string[]
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
  request: ExplainRequest,
): Promise<PageStanding> {
  const { url, filter = {} } = request
  let notIndexed: NotIndexed[] = []
  using found = await entries((all) => {
    const asked = askedEntries(all, request)
    notIndexed = asked.notIndexed
    return asked.entries
  })
  if (found.length === 0) throw nothingIndexed()
  const shelf = await shelfOf(found)
  const holders = holdersOf(shelf, url)
  const asked = found.map(({ entry }) => `${entry.library} ${entry.version}`)
  if (holders.length === 0) {
    using others = await entries((all) =>
      all.filter(({ live }) => !found.some(({ entry }) => entry.live.id === live.id)))
    const ground = await groundElsewhere(others, found, url)
    if (ground === null) throw noPage(asked, url)
    const standing = await standingOn(opened, ground, request)
    const isAsked = found.some(({ entry }) => entry.library === standing.library)
    const by = [isAsked ? 'version' as const : 'library' as const]
    return { ...standing, leftOut: { by, asked, ...factsOf(ground, url) }, notIndexed }
  }
  const scope = scopeOf(shelf, request)
  const searched = holders.filter((at) => scope.isSearched(at, url))
  if (searched.length === 0) {
    const ground = { ...shelf, opens: found.map(({ open }) => open), holders, weight: () => 1 }
    const facts = factsOf(ground, url)
    const by = unmetParts(facts, filter)
    const standing = await standingOn(opened, ground, request)
    const leftOut = { by: by.length > 0 ? by : ['query' as const], asked, ...facts }
    return { ...standing, leftOut, notIndexed }
  }
  const ground = { ...shelf, opens: scope.opens, holders: searched, weight: scope.languageWeight }
  return { ...(await standingOn(opened, ground, request)), leftOut: null, notIndexed }
}

/** What is ranked, and the positions of the library versions that have the page. */
type Ground = Omit<Shelf, 'found'> & {
  found: readonly Held[number][]
  opens: readonly OpenGeneration[]
  holders: readonly number[]
  weight: Scope['languageWeight']
}

async function shelfOf(found: Held): Promise<Shelf> {
  return { found, facts: await Promise.all(found.map(({ open }) => pageFacts(open))) }
}

function holdersOf({ facts }: Shelf, url: string): number[] {
  return facts.flatMap((pages, at) => (pages.has(url) ? [at] : []))
}

/** Alone: another version of a library that was asked, else another library; the default one. */
async function groundElsewhere(others: Held, asked: Held, url: string): Promise<Ground | null> {
  const shelf = await shelfOf(others)
  const keys = new Set(asked.map(({ entry }) => entry.key))
  const holders = holdersOf(shelf, url).map((at) => ({ at, ...others[at]!.entry }))
  const first = holders.find(({ key }) => keys.has(key)) ?? holders[0]
  if (first === undefined) return null
  const mine = holders.filter(({ key }) => key === first.key)
  const version = defaultVersion(mine.map((one) => one.version))
  const { at } = mine.find((one) => one.version === version)!
  const [one, facts] = [others[at]!, shelf.facts[at]!]
  return { found: [one], facts: [facts], opens: [one.open], holders: [0], weight: () => 1 }
}

function factsOf({ facts, holders }: Ground, url: string) {
  const { path, kind, language } = facts[holders[0]!]!.get(url)!
  return { path, kind, language }
}

/** Among the library versions that are embedded as one that has the page is. */
async function standingOn(
  opened: Opened,
  { found, opens, holders, weight }: Ground,
  request: ExplainRequest,
) {
  const { query, url } = request
  const groups = opened.fingerprint === null
    ? [{ held: [...found], embedder: null }]
    : await byModel(found, opened)
  const { held, embedder } = groups.find((group) => group.held.includes(found[holders[0]!]!))!
  const positions = held.map((one) => found.indexOf(one))
  const gains = libraryGains(found.map(({ entry }) => entry), request)
  const { place, nPages, first, best } = await explainPage(
    positions.map((at) => opens[at]!),
    {
      text: query,
      embedding: embedder && embedder().then((it) => queryEmbedding(it, query)),
      mode: 'hybrid',
      limit: 1,
      gains: positions.map((at) => gains[at]!),
      kernels: opened.kernels,
    },
    {
      url,
      generationIndexes: holders.map((at) => positions.indexOf(at)),
      weight: ({ generationIndex, url }) =>
        weight({ generationIndex: positions[generationIndex]!, url }),
    },
  )
  const holder = best ? held[best.generationIndex]! : found[holders[0]!]!
  const { library, version } = holder.entry
  const shown = (chunk: ScoredChunk | null) => chunk && explainedChunk(chunk, query)
  return { query, url, library, version, place, nPages, first: shown(first), best: shown(best) }
}

function noPage(asked: readonly string[], url: string): OgError {
  const where = asked.length > 0 ? ` in ${asked.join(', ')} or any other library` : ''
  return new OgError(`No page has the address "${url}"${where}`, {
    hint: 'addresses are those that "og query" prints',
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
