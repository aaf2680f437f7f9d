import { OgError } from '../platform/error.ts'
import { didYouMean, nearest } from '../platform/text/nearest.ts'
import { shellWord } from '../platform/text/shell-word.ts'
import { parseRelease, isDateVersion } from './release.ts'
import { newestVersionsFirst } from './version.ts'
import type { Source } from '../store/source.ts'
import type { Entry } from '../store/registry.ts'

const mostNamed = 20

export function nothingIndexedError(): OgError {
  const hint = 'og add LIBRARY --source SOURCE indexes one'
  return new OgError('Nothing is indexed', { code: 'empty', hint })
}

export function unknownLibraryError(entries: readonly EntryLabel[], library: string): OgError {
  const names = nearestLibraries(entries, library)
  const isEmpty = names.length === 0
  const listed = names.slice(0, mostNamed).join(', ')
  return new OgError(`Library "${library}" not found`, {
    code: isEmpty ? 'empty' : 'absent',
    hint: isEmpty
      ? 'no libraries are indexed yet: og add LIBRARY --source SOURCE'
      : didYouMean(library, names) || `og add ${shellWord(library)} indexes it; indexed: ${listed}`,
  })
}

export function unknownVersionError(
  entries: readonly EntryLabel[],
  libraries: readonly string[],
  version: string,
): OgError {
  const versions = nearestVersions(
    version,
    entries.map((entry) => entry.version),
  )
  const libraryNames = libraries.map((library) => `"${library}"`).join(' or ')
  const whose = libraryNames === '' ? 'any library' : `library ${libraryNames}`
  const listedVersions = versions.slice(0, mostNamed).sort()
  const hint = listedVersions.length > 0 ? `indexed: ${listedVersions.join(', ')}` : undefined
  return new OgError(`Version "${version}" not found for ${whose}`, { code: 'absent', hint })
}

/**
 * Returns the libraries with similar names. Names that differ by a few keystrokes come first, and
 * then the others by the number of shared letter pairs.
 */
export function nearestLibraries(entries: readonly EntryLabel[], name: string): string[] {
  const names = [...new Set(entries.map((entry) => entry.library))].sort()
  const pairs = new Set(bigrams(name))
  const likeness = (name: string) => bigrams(name).filter((pair) => pairs.has(pair)).length
  return [...new Set([...nearest(name, names), ...names.sort((a, b) => likeness(b) - likeness(a))])]
}

/** Returns the distinct versions, nearest to the typed one first. The first number counts most. */
export function nearestVersions(version: string, versions: readonly string[]): string[] {
  const numbers = /\d+(\.\d+)*/.exec(version)?.[0].split('.').map(Number) ?? []
  const numbersOf = (version: string) =>
    (isDateVersion(version) ? null : parseRelease(version))?.numbers
  const distance = (version: string, at: number) =>
    Math.abs((numbersOf(version)?.[at] ?? 0) - (numbers[at] ?? 0))
  const isNone = (version: string) => Number(numbersOf(version) === undefined)
  return newestVersionsFirst([...new Set(versions)]).sort((a, b) => {
    if (isNone(a) !== isNone(b)) return isNone(a) - isNone(b)
    const at = numbers.findIndex((_, i) => distance(a, i) !== distance(b, i))
    return at < 0 ? 0 : distance(a, at) - distance(b, at)
  })
}

function bigrams(text: string): string[] {
  const lower = text.toLowerCase()
  return Array.from(lower.slice(1), (char, i) => lower[i] + char)
}

export type EntryLabel = Pick<Entry, 'key' | 'library' | 'version'> & {
  live?: { source: Pick<Source, 'package'> }
}
