import { queryTerms } from '../chunk/terms.ts'
import type { Entry } from '../store/registry.ts'
import { versionsFrom, type VersionQuery } from '../version/pick.ts'

/** What hits of a library count more where the query names it, and where the project uses it. */
const gains = { named: 1.5, used: 1.1 }

/** A factor for the hits of each library; 1 where the query prefers none of them. */
export function libraryGains(
  entries: readonly Entry[],
  { query, project }: { query: string; project?: VersionQuery['project'] },
): number[] {
  if (new Set(entries.map(({ key }) => key)).size <= 1) return entries.map(() => 1)
  const request = { library: null, version: null, project: project ?? null }
  const used = new Set(versionsFrom(entries, entries, request).map(({ library }) => library))
  return entries.map(({ library }) => {
    // Of a library that is called like a word of every question nobody knows.
    const isNamed = queryTerms(library, 1).length > 0 && namesLibrary(query, library)
    return (isNamed ? gains.named : 1) * (used.has(library) ? gains.used : 1)
  })
}

/** Whether the query has the library's name, as words of their own, in whatever case. */
export function namesLibrary(query: string, library: string): boolean {
  return plain(query).includes(plain(library))
}

/** Words alone, each between blanks. */
function plain(text: string): string {
  return ` ${text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()} `
}
