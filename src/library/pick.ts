import { OgError } from '../platform/error.ts'
import type { Entry } from '../store/registry.ts'
import { pinnedVersion } from './pinned.ts'
import type { ProjectPins } from './project.ts'
import { asksForSeveral, defaultVersion, matchVersion, versionsAsked } from './version.ts'

export type Wanted = {
  library: string | null
  version: string | null
  /** What the user's project names, for reading: then `latest` may also mean the newest. */
  project?: ProjectPins | null
}

/** Why a version was taken that nobody typed: a file of the project names one that is near. */
export type VersionFrom = {
  library: string
  version: string
  package: string
  named: string
  file: string
}

/**
 * The entries that a library and version mean. No version: the one nearest to what the project
 * has, else the default one. No library: each one's. A version without a library: every library
 * that has it. Throws OgError naming the nearest where there is none.
 */
export function pickEntries(entries: Entry[], wanted: Wanted): Entry[] {
  const { library, version } = wanted
  if (library === null) {
    const keys = [...new Set(entries.map((entry) => entry.key))]
    const picked = keys.flatMap((key) => pickVersion(ofKey(entries, key), wanted) ?? [])
    if (picked.length === 0 && version !== null) throw unknownVersion(entries, null, version)
    return picked
  }
  const mine = ofKey(entries, library.toLowerCase())
  if (mine.length === 0) throw unknownLibrary(entries, library)
  const picked = pickVersion(mine, wanted)
  if (picked === null) throw unknownVersion(mine, library, version as string)
  return [picked]
}

/**
 * The entries that a search asks: those of several libraries where commas stand between their
 * names, and each version that a range, a list or `all` means; a library's newest version first.
 * Throws OgError naming the nearest where there is none.
 */
export function askedEntries(entries: Entry[], wanted: Wanted): Entry[] {
  const names = wanted.library?.split(',').map((name) => name.trim()).filter((name) => name !== '')
  const asked = (names ?? [null]).flatMap((library) => entriesOf(entries, { ...wanted, library }))
  return [...new Set(asked)]
}

function entriesOf(entries: Entry[], wanted: Wanted): Entry[] {
  const { library, version } = wanted
  if (version === null || !asksForSeveral(version)) return pickEntries(entries, wanted)
  const mine = library === null ? entries : ofKey(entries, library.toLowerCase())
  if (mine.length === 0 && library !== null) throw unknownLibrary(entries, library)
  const found = [...Map.groupBy(mine, ({ key }) => key).values()].flatMap((group) =>
    versionsAsked(version, group.map((entry) => entry.version))
      .map((label) => group.find((entry) => entry.version === label)!))
  if (found.length === 0 && entries.length > 0) throw unknownVersion(mine, library, version)
  return found
}

/** Of the entries that were picked, those whose version a file of the project has settled. */
export function versionsFrom(
  entries: readonly Entry[],
  picked: readonly Entry[],
  { version, project }: Wanted,
): VersionFrom[] {
  if (version !== null || !project) return []
  return picked.flatMap((entry) => {
    const pinned = pinnedOf(ofKey(entries, entry.key), project)
    if (pinned?.version !== entry.version) return []
    const { package: name, named, file } = pinned.pin
    return [{ library: entry.library, version: entry.version, package: name, named, file }]
  })
}

function pickVersion(entries: Entry[], { version, project }: Wanted): Entry | null {
  const versions = entries.map((entry) => entry.version)
  const choose = () => {
    if (version === null) {
      return (project && pinnedOf(entries, project)?.version) ?? defaultVersion(versions)
    }
    const isNewest = version === 'latest' && project !== undefined
    return matchVersion(version, versions) ?? (isNewest ? defaultVersion(versions) : null)
  }
  const chosen = choose()
  return entries.find((entry) => entry.version === chosen) ?? null
}

function pinnedOf(entries: readonly Entry[], { pins }: ProjectPins) {
  return pinnedVersion(pins, entries[0]!.key, entries.map(({ version }) => version))
}

function ofKey(entries: readonly Entry[], key: string): Entry[] {
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
