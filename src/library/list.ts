import { readEntries, type Entry } from '../store/registry.ts'
import { byNumbers } from '../version/release.ts'
import type { LibraryVersion } from './library.ts'
import { incompleteReason, embeddedShare } from './incomplete.ts'
import { renderLeftovers } from './quality/missing-names.ts'
import { join } from 'node:path'
import type { Embedder } from '../embed/embedder.ts'
import { generationSize } from '../store/integrity/manifest.ts'
import { bucketWithOnlyCopy, remoteBucketOf } from '../store/remote-bucket.ts'
import { chunkerOf, hasComparableVectors } from './recipe.ts'
import type { Chunking } from './library-context.ts'

export async function listLibraries(folder: string): Promise<LibraryVersion[]> {
  return libraryVersions(await readEntries(folder)).map(({ entry: _, ...row }) => row)
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

function libraryVersions(entries: readonly Entry[]): (LibraryVersion & { entry: Entry })[] {
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

/** Returns the tag that `latest` means, otherwise its commit (`g1a2b3c4`), or null. */
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

/** A library version, its size, and how it differs from a build with the current settings. */
export type StoredVersion = LibraryVersion & {
  bytes: number | null
  previousBytes: number | null
  previous: Pick<Entry['live'], 'indexedAt' | 'pages' | 'chunks'> | null
  embedded: string | null
  stale: Stale[]
  /** Description of the leftovers in its pages (`renderLeftovers`), or null. */
  lacking: string | null
  /** Public names of its packages; null if it has no API reference. */
  names: Entry['live']['names'] | null
}

type Stale = { what: string; remedy: 'og update' | 'og reembed' | 'og add --resume' }

type Recipe = {
  chunking: Chunking
  /** The configured embedder; null if embeddings are off. */
  embedder: Pick<Embedder, 'fingerprint'> | null
}

export async function listStoredVersions(folder: string, recipe: Recipe): Promise<StoredVersion[]> {
  const entries = await readEntries(folder)
  const sizes = await remoteBucketOf(folder)?.sizes()
  const sizeOf = (id: string | undefined) => {
    if (id === undefined) return 0
    if (sizes) return sizes.get(id) ?? 0
    if (bucketWithOnlyCopy(folder, id) !== null) return null
    return generationSize(join(folder, 'generations', id))
  }
  return Promise.all(
    libraryVersions(entries).map(async ({ entry, ...row }) => ({
      ...row,
      bytes: await sizeOf(entry.live.id),
      previousBytes: await sizeOf(entry.previous?.id),
      previous: entry.previous,
      embedded: entry.live.embedded === undefined ? null : embeddedShare(entry.live),
      stale: staleOf(entry, recipe),
      names: entry.live.names ?? null,
      lacking: entry.live.leftovers ? renderLeftovers(entry.live.leftovers) : null,
    })),
  )
}

function staleOf({ live }: Entry, { chunking, embedder }: Recipe): Stale[] {
  const stale: Stale[] = []
  if (live.chunker !== chunkerOf(chunking)) {
    stale.push({ what: 'cut otherwise', remedy: 'og update' })
  }
  const { embedded } = live
  if (embedded !== undefined) {
    stale.push({ what: `${embeddedShare(live)} embedded`, remedy: 'og add --resume' })
  } else if (!hasComparableVectors(live, embedder)) {
    const by = live.fingerprint === null ? 'not embedded' : `embedded by ${live.fingerprint.model}`
    stale.push({ what: by, remedy: 'og reembed' })
  }
  const { failed = 0, incomplete } = live
  if (incomplete) stale.push({ what: `incomplete: ${incomplete.reason}`, remedy: 'og update' })
  if (failed > 0) stale.push({ what: `${failed} failed`, remedy: 'og update' })
  return stale
}
