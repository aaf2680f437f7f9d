import { OgError } from '../platform/error.ts'
import type { Entry } from '../store/registry.ts'
import { defaultVersion, matchVersion } from './version.ts'

export type Wanted = { library: string | null; version: string | null }

/**
 * The entries that a library and version mean. No library: each one's default version. A version
 * without a library: every library that has it. Throws OgError naming the nearest where there is
 * none.
 */
export function pickEntries(entries: Entry[], { library, version }: Wanted): Entry[] {
  if (library === null) {
    const keys = [...new Set(entries.map((entry) => entry.key))]
    const picked = keys.flatMap((key) => pickVersion(ofKey(entries, key), version) ?? [])
    if (picked.length === 0 && version !== null) throw unknownVersion(entries, null, version)
    return picked
  }
  const mine = ofKey(entries, library.toLowerCase())
  if (mine.length === 0) throw unknownLibrary(entries, library)
  const picked = pickVersion(mine, version)
  if (picked === null) throw unknownVersion(mine, library, version as string)
  return [picked]
}

function pickVersion(entries: Entry[], version: string | null): Entry | null {
  const versions = entries.map((entry) => entry.version)
  const chosen = version === null ? defaultVersion(versions) : matchVersion(version, versions)
  return entries.find((entry) => entry.version === chosen) ?? null
}

function ofKey(entries: Entry[], key: string): Entry[] {
  return entries.filter((entry) => entry.key === key)
}

function unknownLibrary(entries: Entry[], library: string): OgError {
  const names = [...new Set(entries.map((entry) => entry.library))].sort()
  const hint =
    names.length === 0
      ? 'no libraries are indexed yet: og add LIBRARY --source SOURCE'
      : `indexed are: ${nearest(library, names).join(', ')}`
  return new OgError(`Library "${library}" not found`, { hint })
}

function unknownVersion(entries: Entry[], library: string | null, version: string): OgError {
  const versions = [...new Set(entries.map((entry) => entry.version))].sort()
  const whose = library === null ? 'any library' : `library "${library}"`
  const hint = versions.length > 0 ? `indexed are: ${versions.slice(0, 20).join(', ')}` : undefined
  return new OgError(`Version "${version}" not found for ${whose}`, { hint })
}

/** Up to 20 names, those that share most pairs of letters with the one typed first. */
function nearest(typed: string, names: string[]): string[] {
  const wanted = new Set(bigrams(typed))
  const likeness = (name: string) => bigrams(name).filter((pair) => wanted.has(pair)).length
  return [...names].sort((a, b) => likeness(b) - likeness(a)).slice(0, 20)
}

function bigrams(text: string): string[] {
  const lower = text.toLowerCase()
  return Array.from(lower.slice(1), (char, i) => lower[i] + char)
}
