import { renderLeftovers } from './quality/leftovers.ts'
import { join } from 'node:path'
import type { Embedder } from '../embed/embedder.ts'
import { generationSize } from '../store/integrity/manifest.ts'
import { readEntries, type Entry } from '../store/registry.ts'
import { bucketWithOnlyCopy, remoteBucketOf } from '../store/remote/remote-bucket.ts'
import { chunkerOf, hasComparableVectors, type Chunking } from './add/recipe.ts'
import { embeddedShare } from './incomplete.ts'
import type { LibraryVersion } from './library.ts'
import { libraryVersions } from './list.ts'

/** A library version, its size, and how it differs from a build with the current settings. */
export type StoredVersion = LibraryVersion & {
  bytes: number | null
  previousBytes: number | null
  previous: Pick<Entry['live'], 'indexedAt' | 'pages' | 'chunks'> | null
  embedded: string | null
  stale: Stale[]
  /** The leftovers of its pages, formatted by `renderLeftovers`; null if there are none. */
  lacking: string | null
  /** Public names of its packages; null if it has no API reference. */
  names: Entry['live']['names'] | null
}

type Stale = { what: string; remedy: 'og update' | 'og reembed' | 'og add --resume' }

type Recipe = {
  chunking: Chunking
  /** The configured embedder; null if embeddings are switched off. */
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
    libraryVersions(entries).map(async ({ entry, ...shown }) => ({
      ...shown,
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
  if (!Bun.deepEquals(live.chunker, chunkerOf(chunking))) {
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
