import { trace } from '../../platform/trace.ts'
import { candidateLibraries } from '../../search/candidate-libraries.ts'
import { libraryFactors } from '../../search/library-gain.ts'
import { isFiltering } from '../../search/scope/page-filter.ts'
import { libraryCards, type LibraryCard } from '../../store/library-cards.ts'
import type { Entry } from '../../store/registry.ts'
import { remoteBucketOf } from '../../store/remote/remote-bucket.ts'
import { hasComparableVectors } from '../add/recipe.ts'
import type { SearchRequest } from '../library.ts'
import type { LibraryContext } from '../library-context.ts'
import { embedOnce, wantsVectors } from './collections.ts'

/** If there are no more libraries than this, all are searched. */
const fewLibraries = 16

const cardsOf = new WeakMap<LibraryContext, Map<string, LibraryCard>>()

/**
 * Whether only some of these libraries are searched. Libraries that the request names are all
 * searched. With a filter all libraries are searched, because a card does not show which pages pass
 * the filter. In a bucket all are searched, because making a card would copy the whole library.
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
  const known = cardsOf.get(context) ?? new Map<string, LibraryCard>()
  cardsOf.set(context, known)
  const newest = groups.map(([first]) => first!)
  const cards = await libraryCards(context.folder, newest, known)
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

/**
 * Returns the embedding of the query by the configured model; null if no library is embedded with
 * it.
 */
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
