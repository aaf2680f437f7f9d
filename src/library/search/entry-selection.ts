import { matchingEntries, ofKey, type VersionQuery } from '../../version/pick.ts'
import {
  nearestLibraries,
  nearestVersions,
  unknownLibraryError,
  unknownVersionError,
  type EntryLabel,
} from '../../version/unknown-version.ts'
import { asksForSeveral, matchingVersions } from '../../version/version.ts'
import { versionParts } from '../../version/release.ts'
import { trace } from '../../platform/trace.ts'
import { candidateLibraries } from '../../search/candidate-libraries.ts'
import { libraryFactors } from '../../search/library-gain.ts'
import { isFiltering } from '../../search/scope/page-filter.ts'
import { libraryCards, type LibraryCard } from '../../store/library-cards.ts'
import type { Entry } from '../../store/registry.ts'
import { remoteBucketOf } from '../../store/remote-bucket.ts'
import { hasComparableVectors } from '../recipe.ts'
import type { SearchRequest } from '../library.ts'
import type { LibraryContext } from '../library-context.ts'
import { embedOnce, wantsVectors } from './collections.ts'

export type NotIndexed = {
  /** Null if none of the requested libraries has the version. */
  library: string | null
  /** The version as typed; null if the library itself is not indexed. */
  version: string | null
  /** The most similar indexed names or versions. */
  nearest: string[]
}

type EntrySelection<E extends EntryLabel> = { entries: E[]; notIndexed: NotIndexed[] }

const mostNearest = 3

/**
 * Returns the entries to search: for each library in a comma-separated list, every version that a
 * range, a list or `all` selects, newest first. If only some of them exist, returns those and
 * reports the missing ones. Throws an OgError with the most similar names if none exists.
 */
export function selectEntries<E extends EntryLabel>(
  entries: E[],
  query: VersionQuery,
): EntrySelection<E> {
  const { library, version } = query
  const names = [...new Set(namesIn(library))]
  const indexed = names.filter((name) => ofKey(entries, name).length > 0)
  if (library !== null && indexed.length === 0)
    throw unknownLibraryError(entries, names[0] ?? library)
  const mine = names.length === 0 ? entries : indexed.flatMap((name) => ofKey(entries, name))
  const groups = [...Map.groupBy(mine, ({ key }) => key).values()]
  const matches = groups.flatMap((group) => matchingEntries(group, query))
  if (matches.length === 0) {
    const isNothingToAsk = entries.length === 0 && (version === null || asksForSeveral(version))
    if (isNothingToAsk) return { entries: [], notIndexed: [] }
    throw unknownVersionError(mine, indexed, version!)
  }
  const unknown = names.filter((name) => !indexed.includes(name))
  return {
    entries: matches,
    notIndexed: [
      ...unknown.map((name) => ({
        library: name,
        version: null,
        nearest: few(nearestLibraries(entries, name)),
      })),
      ...(version === null ? [] : versionsNotIndexed({ mine, indexed, matches }, version)),
    ],
  }
}

type Split = {
  mine: readonly EntryLabel[]
  indexed: readonly string[]
  matches: readonly EntryLabel[]
}

function versionsNotIndexed({ mine, indexed, matches }: Split, version: string): NotIndexed[] {
  const near = (entries: readonly EntryLabel[], text: string) =>
    few(
      nearestVersions(
        text,
        entries.map((entry) => entry.version),
      ),
    )
  const without = indexed.filter((name) => ofKey(matches, name).length === 0)
  const labels = [...Map.groupBy(mine, ({ key }) => key).values()].map((group) =>
    group.map((entry) => entry.version),
  )
  const parts = versionParts(version, labels.flat()).filter((part) =>
    labels.every((versions) => matchingVersions(part, versions).length === 0),
  )
  return [
    ...without.map((library) => ({
      library,
      version,
      nearest: near(ofKey(mine, library), version),
    })),
    ...parts.map((part) => ({
      library: indexed.length === 1 ? indexed[0]! : null,
      version: part,
      nearest: near(mine, part),
    })),
  ]
}

function namesIn(library: string | null): string[] {
  return (
    library
      ?.split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '') ?? []
  )
}

function few(names: readonly string[]): string[] {
  return names.slice(0, mostNearest)
}

/** Up to this many libraries, all are searched. */
const fewLibraries = 16

const cardsOf = new WeakMap<LibraryContext, Map<string, LibraryCard>>()

/**
 * True if only some of these libraries are searched. Searches all libraries if the request names
 * them. Also searches all with a filter, because a card does not show which pages pass it, and in a
 * bucket, because making a card would copy the whole library.
 */
export function hasManyLibraries(
  { folder }: Pick<LibraryContext, 'folder'>,
  entries: readonly Entry[],
  { library, filter = {} }: Pick<SearchRequest, 'library' | 'filter'>,
): boolean {
  if (library !== null || isFiltering(filter) || remoteBucketOf(folder) !== null) return false
  return new Set(entries.map(({ key }) => key)).size > fewLibraries
}

/**
 * If there are many libraries, chooses the entries that may answer the query, because opening a
 * library takes longer than searching it.
 */
export async function narrowEntries(
  context: LibraryContext,
  entries: readonly Entry[],
  request: SearchRequest,
): Promise<Entry[]> {
  const groups = [...Map.groupBy(entries, ({ key }) => key).values()]
  const cachedCards = cardsOf.getOrInsertComputed(context, () => new Map<string, LibraryCard>())
  const newest = groups.map(([first]) => first!)
  const cards = await libraryCards(context.folder, newest, cachedCards)
  const embedding = await queryVector(context, newest, request)
  const factors = libraryFactors(newest, request)
  const carded = newest.map((entry, i) => ({
    card: cards.get(entry.live.id) ?? null,
    isMeant: factors[i]! > 1,
    embedding: hasComparableVectors(entry.live, context) ? embedding : null,
  }))
  const chosen = candidateLibraries(carded, request.query)
  trace('choose libraries', { of: groups.length, chosen: chosen.length })
  return chosen.flatMap((i) => groups[i]!)
}

/** Returns the query's embedding by the configured model, or null if no library uses it. */
async function queryVector(
  context: LibraryContext,
  entries: readonly Entry[],
  request: SearchRequest,
): Promise<Float32Array | null> {
  if (!wantsVectors(context, request)) return null
  if (!entries.some(({ live }) => hasComparableVectors(live, context))) return null
  const embed = embedOnce(async () => (await context.embedder())!, request.signal)
  return (await embed(request.query)).vector
}
