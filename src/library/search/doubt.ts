import { isApiPagePath } from '../../api/api-path.ts'
import { shortName } from '../../chunk/api-text.ts'
import type { Candidate, WithRow } from '../../search/candidate.ts'
import { namesLibrary } from '../../search/library-gain.ts'
import type { SearchHits } from '../../search/search.ts'
import type { LackingName } from '../../search/name/lacking-names.ts'
import type { Entry } from '../../store/registry.ts'
import { shellWord } from '../../platform/text/shell-word.ts'
import type { Hit, SearchRequest } from '../library.ts'
import { shortestPageName } from '../page-lookup.ts'
import type { Confidence } from '../../search/confidence.ts'
import type { SearchAnswer } from './search.ts'

export type Doubt = { reason: string; nearest: NearestHeading[]; suggest: Suggestion[] }

type NearestHeading = Pick<Hit, 'library' | 'version' | 'title' | 'heading' | 'url'>

/**
 * A library that may have the answer, and the command to search or add it. `version` is null if the
 * library is not indexed.
 */
type Suggestion = { library: string; version: string | null; command: string }

/** An answer about a name that the package lacks is weak, whatever passages are found. */
export function capConfidence(confidence: Confidence, lacking: readonly LackingName[]): Confidence {
  if (lacking.some(({ missing }) => missing === null)) return 'weak'
  return lacking.length > 0 && confidence === 'high' ? 'medium' : confidence
}

/** Returns the names of ranked chunks that no hit shows, not even below the first hit. */
export function furtherNames({ chunks, excerpts }: SearchHits): string[] {
  const shown = new Set(excerpts.map(shortNameOf))
  const isBelow = ({ row }: WithRow) =>
    excerpts[0]?.text.includes(`\n[${row.heading.split(' > ').at(-1) || row.title}] `)
  const others = chunks.filter((chunk) => !isBelow(chunk)).map(shortNameOf)
  return [...new Set(others)].filter((name) => !shown.has(name))
}

/** Returns a symbol's name without its module, or a section's page and heading. */
function shortNameOf({ row, collection: { facts } }: Candidate & WithRow): string {
  const title = row.heading.split(' > ').at(-1) || row.title
  if (isApiPagePath(row.url)) return shortName(title, row.title)
  const page = shortestPageName({ url: row.url, path: facts.get(row.url)!.path }, facts)
  return title === row.title ? page : `${page}#${title}`
}

const mostNearest = 3
export const maxSuggestions = 3

export function nearestHeadings(hits: readonly Hit[]): NearestHeading[] {
  const places = new Map<string, NearestHeading>()
  for (const { library, version, title, heading, url } of hits) {
    const key = `${library}/${version}/${url}/${heading}`
    places.getOrInsert(key, { library, version, title, heading, url })
  }
  return [...places.values()].slice(0, mostNearest)
}

export function indexedSuggestions(query: string, entries: readonly Entry[]): Suggestion[] {
  return entries
    .slice(0, maxSuggestions)
    .map(({ library, version }) => ({
      library,
      version,
      command: ['og', 'query', query, '-l', library, '-v', version].map(shellWord).join(' '),
    }))
}

/** Library names that are also ordinary words. */
const ordinary = new Set([
  'click',
  'echo',
  'ent',
  'express',
  'fiber',
  'node',
  'requests',
  'rich',
  'rocket',
  'solid',
  'task',
])

export async function missingSuggestions(
  request: Pick<SearchRequest, 'query' | 'knownSources'>,
  indexed: ReadonlySet<string>,
): Promise<Suggestion[]> {
  const names = (await request.knownSources?.()) ?? []
  const letters = (name: string) => name.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '')
  const there = new Set([...indexed].map(letters))
  return names
    .filter((name) => !there.has(letters(name)) && !ordinary.has(name.toLowerCase()))
    .filter((name) => namesLibrary(request.query, name))
    .sort((a, b) => b.length - a.length)
    .slice(0, maxSuggestions)
    .map((name) => ({ library: name, version: null, command: `og add ${shellWord(name)}` }))
}

export const weakSentence = 'No passage is clearly about this; nearest:'

/** Returns an answer's confidence in the same form for every interface; weak without hits. */
export function confidenceOf({
  hits,
  doubt,
  confidence,
}: Pick<SearchAnswer, 'hits' | 'doubt' | 'confidence'>): Confidence {
  return doubt !== null || hits.length === 0 ? 'weak' : (confidence ?? 'high')
}
