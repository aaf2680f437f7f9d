import type { Confidence } from '../../search/confidence.ts'
import { isApiPagePath } from '../../api/api-path.ts'
import { shortestPageName } from '../page-lookup.ts'
import type { Entry } from '../../store/registry.ts'
import { isAvailable, limitToCache } from './availability.ts'
import {
  selectEntries,
  type NotIndexed,
  hasManyLibraries,
  narrowEntries,
} from './entry-selection.ts'
import {
  type OpenVersions,
  type OpenEntries,
  toDamagedVersion,
  skipDamaged,
  type DamagedVersion,
} from '../entries.ts'
import type { Candidate, WithRow, WithText } from '../../search/candidate.ts'
import type { NearTerms } from '../../search/near-terms.ts'
import type { PageCounts } from '../../search/scope/scope.ts'
import { removeStackFrames } from '../../search/traceback.ts'
import {
  findLackingNames,
  withNearestNames,
  type LackingName,
} from '../../search/name/lacking-names.ts'
import { translateQuery } from '../../search/translation/foreign.ts'
import {
  answeringCollections,
  search,
  type HitsRequest,
  type SearchHits,
} from '../../search/search.ts'
import { versionsOfSameLibraries, addOtherVersions } from './other-versions.ts'
import { findIncomplete, type Incomplete } from '../incomplete.ts'
import type { Hit, SearchRequest } from '../library.ts'
import type { LibraryContext } from '../library-context.ts'
import {
  pickEntries,
  versionDefaults,
  versionsFrom,
  type VersionDefault,
} from '../../version/pick.ts'
import { collectionsOf, wantsVectors, type ScopedCollection } from './collections.ts'
import { hasComparableVectors } from '../recipe.ts'
import {
  capConfidence,
  furtherNames,
  indexedSuggestions,
  missingSuggestions,
  maxSuggestions,
  nearestHeadings,
  type Doubt,
} from './doubt.ts'
import { versionRule } from '../../version/version.ts'
import type { NearestScores } from '../../search/judge.ts'
import type { VersionFrom } from '../../version/project.ts'

export type SearchAnswer = {
  hits: Hit[]
  /** Next symbols and sections for `og get`, best first. Empty unless hits are limited in size. */
  further: string[]
  /** The English text that was searched for a query in another language, or null. */
  english: string | null
  /** Versions that the project chose, for the requested library or the libraries with hits. */
  versionsFrom: VersionFrom[]
  /** Versions that the default order chose from several, also in libraries without hits. */
  versionDefaults: VersionDefault[]
  /** The best cosine and the best BM25 score in each searched library version. */
  nearest: NearestOf[]
  searched: SearchedVersion[]
  /** Requested libraries and versions that are not indexed. */
  notIndexed: NotIndexed[]
  /** A sentence about the libraries that were not searched, for a query without a library. */
  unasked: string | null
  /** Names in the query that a searched library's API reference lacks. */
  lacking: readonly LackingName[]
  /** Damaged libraries that were skipped, each with the command that repairs it. */
  broken: readonly DamagedVersion[]
  /** Libraries that are only partly embedded. Empty if the search used no vectors. */
  incomplete: readonly Incomplete[]
  /** How confident og is that the hits answer the query; null unless requested. */
  confidence: Confidence | null
  /** The reason for a weak confidence, or null. */
  doubt: Doubt | null
}

/** A searched library version. `versionBy` names the rule that chose it. */
export type SearchedVersion = PageCounts & { library: string; version: string; versionBy: string }

/** `engine` identifies the model and engine of the query's embedding, if any. */
type NearestOf = NearestScores & {
  library: string
  version: string
  engine: string | null
  near: NearTerms
}

/**
 * Ranks the chunks of the requested library version, or of every library. Throws an OgError if a
 * library or version is not indexed, or if the model that embedded it is not on this machine. Skips
 * and reports a damaged library, or throws its error if the request names no other.
 */
export function searchLibraries(
  context: LibraryContext,
  entries: OpenEntries,
  rawRequest: SearchRequest,
): Promise<SearchAnswer> {
  const request = { ...rawRequest, query: removeStackFrames(rawRequest.query).slice(0, maxQuery) }
  return skipDamaged(entries, async (sound, broken) => {
    const searched = new Set<string>()
    const answer = await searchSound({ context, entries: sound, request }, searched)
    // The other damaged versions were opened only for comparison with the hits.
    const mine = broken.filter(({ id }) => searched.has(id))
    if (mine.length > 0 && mine.length === searched.size) throw mine[0]
    return { ...answer, broken: mine.map(toDamagedVersion) }
  })
}

/** `asking` receives the ids of all selected generations, damaged or intact. */
async function searchSound(
  { context, entries, request }: Asking,
  asking: Set<string>,
): Promise<SearchAnswer> {
  let choices: VersionFrom[] = []
  let defaults: VersionDefault[] = []
  let all: Entry[] = []
  let notIndexed: NotIndexed[] = []
  let unasked: string | null = null
  let candidates: Entry[] = []
  using openVersions = await openCandidates({ context, entries, request }, (list) => {
    all = list
    const selection = selectEntries(list, request)
    notIndexed = selection.notIndexed
    const within = limitToCache(context.folder, selection.entries, request)
    unasked = within.unasked
    choices = versionsFrom(list, within.entries, request)
    defaults = versionDefaults(list, within.entries, request)
    for (const { live } of within.entries) asking.add(live.id)
    candidates = within.entries
    return candidates
  })
  if (openVersions.length === 0) return emptySearchAnswer
  request.signal?.throwIfAborted()
  const isJudged = request.judge === true || request.refuse === true
  const collections = await collectionsOf(context, openVersions, request)
  const english = await translateQuery(collections, request.query)
  const lacking = await findLackingNames(collections, request.query)
  const text = withNearestNames(english ?? request.query, lacking)
  const ranking = await search(collections, { ...queryOf(context, request, isJudged), text })
  const { excerpts } = ranking
  const confidence = ranking.confidence && capConfidence(ranking.confidence, lacking)
  const nearest = await nearestOf(collections, text, ranking)
  const searched = searchedOf({ collections, all, choices }, request)
  const hits = await addOtherVersions(
    entries,
    versionsOfSameLibraries(
      all,
      openVersions.map(({ entry }) => entry),
    ).filter((it) => isAvailable(context.folder, it)),
    excerpts.map((one, i) => ({ hit: hitOf(one, i), texts: one.texts })),
  )
  const doubt =
    confidence === 'weak'
      ? await doubtOf({ context, entries, request }, { openVersions, candidates, hits, all })
      : null
  const incomplete = wantsVectors(context, request)
    ? findIncomplete(openVersions.map(({ entry }) => entry))
    : []
  if (request.refuse && doubt) {
    const reasons = { english, nearest, searched, notIndexed, unasked, lacking }
    return { ...emptySearchAnswer, ...reasons, incomplete, doubt }
  }
  const isTold = ({ library }: Pick<Hit, 'library'>) =>
    request.library !== null || hits.some((hit) => hit.library === library)
  const facts = { english, versionsFrom: choices.filter(isTold), notIndexed, unasked }
  return {
    ...{ hits, further: request.sizes === undefined ? [] : furtherNames(ranking) },
    confidence,
    ...facts,
    versionDefaults: defaults,
    nearest,
    searched,
    lacking,
    broken: [],
    incomplete: incomplete.filter(isTold),
    doubt,
  }
}

/** Longer queries are cut. No model reads that much, and tokenizing a megabyte takes a minute. */
const maxQuery = 20_000

/** The answer if no library is searched. */
export const emptySearchAnswer: SearchAnswer = {
  hits: [],
  further: [],
  english: null,
  versionsFrom: [],
  versionDefaults: [],
  nearest: [],
  searched: [],
  notIndexed: [],
  lacking: [],
  broken: [],
  unasked: null,
  incomplete: [],
  confidence: null,
  doubt: null,
}

function queryOf(
  { kernels, isEnglishWord }: LibraryContext,
  { query: text, mode = 'hybrid', limit, context = 0, sizes, without = [] }: SearchRequest,
  isJudged: boolean,
): HitsRequest {
  return { text, mode, limit, context, sizes, without, kernels, isEnglishWord, isJudged }
}

function nearestOf(
  collections: readonly ScopedCollection[],
  query: string,
  { nearest, lanes: { near } }: SearchHits,
): Promise<NearestOf[]> {
  return Promise.all(
    collections.map(async ({ entry: { library, version }, embed }, i) => ({
      library,
      version,
      ...nearest[i]!,
      engine: (await embed?.(query))?.engine ?? null,
      near,
    })),
  )
}

type Settled = {
  collections: readonly ScopedCollection[]
  all: readonly Entry[]
  choices: readonly VersionFrom[]
}

function searchedOf(
  { collections, all, choices }: Settled,
  request: SearchRequest,
): SearchedVersion[] {
  return collections.map(({ entry: { key, library, version }, counts }) => {
    const versions = all.filter((other) => other.key === key).map((other) => other.version)
    const from = choices.find((one) => one.library === library)
    const versionBy = versionRule({ version, versions, from }, request.version)
    return { library, version, versionBy, ...counts }
  })
}

type Asking = { context: LibraryContext; entries: OpenEntries; request: SearchRequest }
/** `candidates` are the entries from which `openVersions` were chosen. */
type Doubted = {
  openVersions: OpenVersions
  candidates: readonly Entry[]
  hits: readonly Hit[]
  all: readonly Entry[]
}

/** Reports the nearest headings, and searches other libraries for better answers. */
async function doubtOf(
  { context, entries, request }: Asking,
  { openVersions, candidates, hits, all }: Doubted,
): Promise<Doubt> {
  const keys = new Set(candidates.map(({ key }) => key))
  const elsewhere = { ...request, library: null, version: null, filter: {} }
  using others = await openCandidates({ context, entries, request: elsewhere }, (list) => {
    // No library is copied from a bucket for this hint.
    const picked = pickEntries(list, elsewhere).filter(
      (it) => !keys.has(it.key) && isAvailable(context.folder, it),
    )
    // No other model is loaded for this hint.
    if (!wantsVectors(context, request)) return picked
    return picked.filter(
      ({ live }) => live.fingerprint === null || hasComparableVectors(live, context),
    )
  })
  const answering = await answeringOf(context, others, { ...elsewhere, limit: otherHits })
  const certain: Entry[] = []
  for (const { live } of answering.slice(0, maxSuggestions)) {
    // Among several libraries, one may only seem to answer, so it is suggested only if it also
    // answers alone.
    using alone = await entries((list) => list.filter((one) => one.live.id === live.id))
    certain.push(...(await answeringOf(context, alone, elsewhere)))
  }
  const indexed = new Set(all.map(({ key }) => key))
  return {
    reason: `no good match in ${placesOf(openVersions, keys.size)}`,
    nearest: nearestHeadings(hits),
    suggest: [
      ...indexedSuggestions(request.query, certain),
      ...(await missingSuggestions(request, indexed)),
    ],
  }
}

/** Describes the libraries: `fastapi 0.115.0` or `the likeliest 12 of 300 libraries`. */
function placesOf(openVersions: OpenVersions, nMeant: number): string {
  const nSearched = new Set(openVersions.map(({ entry }) => entry.key)).size
  const { library, version } = openVersions[0]!.entry
  if (nMeant === 1) return `${library} ${version}`
  return nSearched < nMeant
    ? `the likeliest ${nSearched} of ${nMeant} libraries`
    : `${nMeant} libraries`
}

/** Opens the picked entries that may answer the query, or all if there are few libraries. */
async function openCandidates(
  { context, entries, request }: Asking,
  pick: (list: Entry[]) => Entry[],
): Promise<OpenVersions> {
  let picked: Entry[] = []
  let isNarrowed = false
  const all = await entries((list) => {
    picked = pick(list)
    isNarrowed = hasManyLibraries(context, picked, request)
    return isNarrowed ? [] : picked
  })
  if (!isNarrowed) return all
  all[Symbol.dispose]()
  const keys = new Set((await narrowEntries(context, picked, request)).map(({ key }) => key))
  return await entries((list) => pick(list).filter(({ key }) => keys.has(key)))
}

async function answeringOf(
  context: LibraryContext,
  openVersions: OpenVersions,
  request: SearchRequest,
): Promise<Entry[]> {
  if (openVersions.length === 0) return []
  const collections = await collectionsOf(context, openVersions, request)
  const text = (await translateQuery(collections, request.query)) ?? request.query
  const ranked = { ...queryOf(context, request, true), text }
  const answering = await answeringCollections(collections, ranked)
  return answering.map(({ entry }) => entry)
}

/** With this many hits, every library with an answer has at least one. */
const otherHits = 20

function hitOf(
  { collection, row, score, why, text, startLine, endLine, anchor }: Candidate & WithRow & WithText,
  index: number,
): Hit {
  const { entry, facts } = collection
  const { path, kind, language, markup } = facts.get(row.url)!
  return {
    rank: index + 1,
    score,
    library: entry.library,
    version: entry.version,
    url: row.url,
    title: row.title,
    heading: row.heading,
    text,
    chunkId: `${entry.live.id}/${row.url}#${row.chunk_index}`,
    startLine,
    endLine,
    anchor,
    versions: [entry.version],
    path,
    name: isApiPagePath(path)
      ? row.heading.split(' > ').at(-1) || row.title
      : shortestPageName({ url: row.url, path }, facts),
    kind,
    language,
    markup,
    why,
  }
}
