import { readEntries, type Entry } from '../store/registry.ts'
import { byNumbers } from '../version/release.ts'
import type { LibraryVersion } from './library.ts'
import { incompleteReason } from './incomplete.ts'

export async function listLibraries(folder: string): Promise<LibraryVersion[]> {
  return libraryVersions(await readEntries(folder)).map(({ entry: _, ...shown }) => shown)
}

export async function versionsOfGenerations(
  folder: string,
  ids: readonly string[],
): Promise<{ library: string; version: string }[]> {
  if (ids.length === 0) return []
  return libraryVersions(await readEntries(folder))
    .filter(({ entry }) => ids.includes(entry.live.id))
    .map(({ library, version }) => ({ library, version }))
}

export function libraryVersions(entries: readonly Entry[]): (LibraryVersion & { entry: Entry })[] {
  return entries
    .map((entry) => ({ ...libraryVersion(entry), entry }))
    .sort((a, b) => byNumbers(a.library, b.library) || byNumbers(a.version, b.version))
}

export function libraryVersion({ library, version, live }: Entry): LibraryVersion {
  return {
    library,
    version,
    pages: live.pages,
    chunks: live.chunks,
    source: live.source,
    ref: live.ref,
    commit: live.commit,
    tag: live.tag ?? null,
    indexedAt: live.indexedAt,
    incomplete: incompleteReason(live),
    pack: live.pack?.place ?? null,
  }
}

type LatestState = Pick<LibraryVersion, 'version' | 'tag' | 'commit'>

/**
 * Returns the release that `latest` stands for: its tag, else its commit (`g1a2b3c4`); null if
 * unknown.
 */
export function latestRelease({ version, tag, commit }: LatestState): string | null {
  if (version !== 'latest') return null
  return tag ?? (commit === null ? null : `g${commit.slice(0, 7)}`)
}

export function displayVersion(one: LatestState): string {
  const state = latestRelease(one)
  return state === null ? one.version : `${one.version} (${state})`
}

export function versionsByLibrary(all: readonly LibraryVersion[]): Record<string, string[]> {
  const groups = Map.groupBy(all, ({ library }) => library)
  const versions = [...groups].map(([library, all]) => [library, all.map((it) => it.version)])
  return Object.fromEntries(versions)
}
