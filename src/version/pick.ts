import { packageKey, packageLibrary, parsePackage, plainPackageName } from './package-name.ts'
import { pinnedVersion } from './pinned-version.ts'
import type { ProjectPins, VersionFrom } from './project.ts'
import { unknownLibraryError, unknownVersionError, type EntryLabel } from './unknown-version.ts'
import {
  asksForSeveral,
  defaultVersion,
  matchVersion,
  matchingVersions,
  newestVersionsFirst,
} from './version.ts'

export type VersionQuery = {
  library: string | null
  version: string | null
  /** The versions in the user's project. A query without a version may mean one of them. */
  project?: ProjectPins | null
}

/**
 * Returns the entries for a library and version. Without a version, picks the one nearest to the
 * project's version or, if the project has none, the default. Without a library, picks one entry
 * per library. With only a version, picks all libraries that have it.
 * @throws OgError that suggests similar entries if none matches
 */
export function pickEntries<E extends EntryLabel>(entries: E[], query: VersionQuery): E[] {
  const { library, version } = query
  if (library !== null) return [pickEntry(entries, { ...query, library })]
  const keys = [...new Set(entries.map((entry) => entry.key))]
  const picked = keys.flatMap((key) => pickVersion(ofKey(entries, key), query) ?? [])
  if (picked.length === 0 && version !== null) throw unknownVersionError(entries, [], version)
  return picked
}

/** Returns the entry for a library and version, picked as in `pickEntries`. */
export function pickEntry<E extends EntryLabel>(
  entries: E[],
  query: VersionQuery & { library: string },
): E {
  const { library, version } = query
  const mine = ofKey(entries, library)
  if (mine.length === 0) throw unknownLibraryError(entries, library)
  const picked = pickVersion(mine, query)
  if (picked === null) throw unknownVersionError(mine, [library], version as string)
  return picked
}

/** Returns the entries of a library that match a version, newest first. */
export function matchingEntries<E extends EntryLabel>(entries: E[], query: VersionQuery): E[] {
  const { version } = query
  if (version === null || !asksForSeveral(version)) {
    const picked = pickVersion(entries, query)
    return picked === null ? [] : [picked]
  }
  return matchingVersions(
    version,
    entries.map((entry) => entry.version),
  ).map((label) => entries.find((entry) => entry.version === label)!)
}

export function versionsFrom(
  entries: readonly EntryLabel[],
  picked: readonly EntryLabel[],
  { version, project }: VersionQuery,
): VersionFrom[] {
  if (version !== null || !project) return []
  return picked.flatMap((entry) => {
    const pinned = pinnedVersionOf(ofKey(entries, entry.key), project)
    if (pinned?.version !== entry.version) return []
    const { package: name, named, file } = pinned.pin
    return [{ library: entry.library, version: entry.version, package: name, named, file }]
  })
}

/** The default version of a library that also has other versions. `others` are newest first. */
export type VersionDefault = { library: string; version: string; others: string[] }

/** Returns the picked entries that the default order chose from several versions. */
export function versionDefaults(
  entries: readonly EntryLabel[],
  picked: readonly EntryLabel[],
  query: VersionQuery,
): VersionDefault[] {
  if (query.version !== null) return []
  const projectLibraries = new Set(
    versionsFrom(entries, picked, query).map(({ library }) => library),
  )
  return picked.flatMap(({ key, library, version }) => {
    const others = ofKey(entries, key)
      .map((entry) => entry.version)
      .filter((other) => other !== version)
    if (others.length === 0 || projectLibraries.has(library)) return []
    return [{ library, version, others: newestVersionsFirst(others) }]
  })
}

export function ofKey<E extends EntryLabel>(entries: readonly E[], library: string): E[] {
  const key = library.toLowerCase()
  const mine = entries.filter((entry) => entry.key === key)
  const packageName = mine.length > 0 || !key.includes(':') ? null : parsePackage(library)
  if (packageName === null || packageName.version !== null) return mine
  // PyPI does not distinguish `_`, `-` and `.`.
  const stored = ({ live }: E) => live?.source.package
  const own = entries.filter(
    (it) => plainPackageName(stored(it) ?? '') === plainPackageName(packageKey(packageName)),
  )
  // Other versions of the library may have been added from an archive or a folder.
  const keys = new Set(own.map((it) => it.key))
  if (keys.size > 0) return entries.filter((it) => keys.has(it.key))
  const name = packageLibrary(packageName).toLowerCase()
  const matches = entries.filter((it) => it.key === name)
  return matches.some((it) => stored(it) !== undefined) ? [] : matches
}

function pickVersion<E extends EntryLabel>(
  entries: E[],
  { version, project }: VersionQuery,
): E | null {
  const versions = entries.map((entry) => entry.version)
  const choose = () => {
    if (version === null) {
      return (project && pinnedVersionOf(entries, project)?.version) ?? defaultVersion(versions)
    }
    const isNewest = version === 'latest' && project !== undefined
    return matchVersion(version, versions) ?? (isNewest ? defaultVersion(versions) : null)
  }
  const chosen = choose()
  return entries.find((entry) => entry.version === chosen) ?? null
}

function pinnedVersionOf(entries: readonly EntryLabel[], { pins }: ProjectPins) {
  return pinnedVersion(
    pins,
    entries[0]!.key,
    entries.map(({ version }) => version),
  )
}
