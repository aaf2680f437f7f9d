import { queryTerms } from '../chunk/terms.ts'
import type { Entry } from '../store/registry.ts'
import { versionsFrom, type VersionQuery } from '../version/pick.ts'

/** Factors for the hits of a library that the query names or that the project uses. */
const gains = { named: 2.25, usedLibraries: 1.2 }

/** Returns a factor per library, above 1 if the query names it or the project uses it. */
export function libraryFactors(
  entries: readonly Entry[],
  { query, project }: { query: string; project?: VersionQuery['project'] },
): number[] {
  if (new Set(entries.map(({ key }) => key)).size <= 1) return entries.map(() => 1)
  const request = { library: null, version: null, project: project ?? null }
  const used = new Set(versionsFrom(entries, entries, request).map(({ library }) => library))
  const words = plainWords(query)
  return entries.map(({ library }) => {
    // A library whose name consists of stop words ("it", "how") never counts as named.
    const isNamed = words.includes(plainWords(library)) && queryTerms(library, 1).length > 0
    return (isNamed ? gains.named : 1) * (used.has(library) ? gains.usedLibraries : 1)
  })
}

/** True if the query contains the library's name as whole words, in any case. */
export function namesLibrary(query: string, library: string): boolean {
  return plainWords(query).includes(plainWords(library))
}

/** Reduces text to lower-case words, each between two blanks. */
function plainWords(text: string): string {
  return ` ${text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()} `
}
