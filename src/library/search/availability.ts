import { OgError } from '../../platform/error.ts'
import { namesLibrary } from '../../search/library-gain.ts'
import type { Entry } from '../../store/registry.ts'
import { bucketWithOnlyCopy, remoteBucketOf } from '../../store/remote-bucket.ts'

/** Approximate size of a library version per chunk, measured with FastAPI. */
const bytesPerChunk = 3_700

/**
 * True if a library version can be searched without first copying it from a bucket. Always true for
 * a store in a folder.
 */
export function isAvailable(folder: string, { live }: Entry): boolean {
  return bucketWithOnlyCopy(folder, live.id) === null
}

/** `unasked` is a sentence about the libraries that are not searched, or null. */
type WithinCache = { entries: Entry[]; unasked: string | null }

export function limitToCache(
  folder: string,
  candidates: Entry[],
  { query, library }: { query: string; library: string | null },
): WithinCache {
  const remote = remoteBucketOf(folder)
  if (remote?.isDown() && library === null) return whileDown(folder, candidates, remote.place)
  const bytes = candidates.reduce((sum, { live }) => sum + live.chunks * bytesPerChunk, 0)
  if (remote === null || library !== null || bytes <= remote.cacheBytes) {
    return { entries: candidates, unasked: null }
  }
  const entries = candidates.filter(
    (entry) => namesLibrary(query, entry.library) || isAvailable(folder, entry),
  )
  const sizes =
    `those of ${remote.place} take about ${gigabytes(bytes)} GB, store.cache_gb is ` +
    gigabytes(remote.cacheBytes)
  if (entries.length === 0) {
    throw new OgError(`Cannot search all ${candidates.length} library versions: ${sizes}`, {
      hint: 'choose one with --library, or set a higher store.cache_gb',
    })
  }
  const left = candidates.length - entries.length
  const unasked =
    `Not searched: ${left} of ${candidates.length} library versions without a copy on this ` +
    `machine: ${sizes}. Name one to search it`
  return { entries, unasked: left === 0 ? null : unasked }
}

/** If the bucket is unreachable, searches only entries with a copy. */
function whileDown(folder: string, candidates: Entry[], place: string): WithinCache {
  const entries = candidates.filter((entry) => isAvailable(folder, entry))
  if (entries.length === candidates.length) return { entries, unasked: null }
  if (entries.length === 0) {
    throw new OgError(
      `Cannot search any library version: store ${place} cannot be reached, and this machine ` +
        'has no copy of them',
      { code: 'unreachable', hint: 'try again later' },
    )
  }
  const left = candidates.length - entries.length
  const unasked =
    `Not searched: ${left} of ${candidates.length} library versions without a copy on this ` +
    `machine, because store ${place} cannot be reached`
  return { entries, unasked }
}

function gigabytes(bytes: number): string {
  return (bytes / 1e9).toFixed(bytes < 10e9 ? 1 : 0)
}
