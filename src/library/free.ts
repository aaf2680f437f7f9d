import { existsSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { embeddedTextFormatter } from '../chunk/embedded-text.ts'
import { findRepeatsByPage } from '../chunk/repeats.ts'
import { embeddingKey, deleteUnusedEmbeddings } from '../embed/cache.ts'
import { arithmeticInCache } from '../embed/probe.ts'
import { bundledOnnx } from '../platform/native/bundled.ts'
import { freeOldNatives } from '../platform/native/old-natives.ts'
import { findOrphans, sweepGenerations } from '../store/generation.ts'
import type { Entry } from '../store/registry.ts'
import { remoteBucketOf } from '../store/remote/remote-bucket.ts'
import type { OpenEntries } from './entries.ts'

export type FreeResult = {
  kind: 'states' | 'natives' | 'embeddings'
  count: number
  bytes: number
  inUse: number
}

/**
 * `natives` is the folder from which this process loads its native libraries; null if it runs from
 * source.
 */
type Places = { folder: string; natives: string | null }

/**
 * Deletes data that no library version and no running process needs; if `isDry` is true, only
 * counts it. Locks show which data is in use, so other og processes may run at the same time.
 */
export async function* freeUnusedData(
  { folder, natives }: Places,
  entries: OpenEntries,
  { isDry }: { isDry: boolean },
): AsyncGenerator<FreeResult> {
  const { free, inUse } = await findOrphans(folder)
  const gone = new Set(isDry ? free.map(({ id }) => id) : await sweepGenerations(folder))
  const swept = free.filter(({ id }) => gone.has(id))
  const bytes = swept.reduce((sum, one) => sum + one.bytes, 0)
  const remote = await remoteBucketOf(folder)?.orphans({ isDry })
  yield {
    kind: 'states',
    count: swept.length + (remote?.ids.length ?? 0),
    bytes: bytes + (remote?.bytes ?? 0),
    inUse: inUse + (remote?.waiting ?? 0),
  }
  if (natives !== null) {
    const own = [basename(natives), ...(bundledOnnx === null ? [] : [bundledOnnx.hash])]
    yield { kind: 'natives', ...(await freeOldNatives(dirname(natives), { own, isDry })) }
  }
  // If the store is in a bucket, its embeddings are kept: no machine alone knows which of them are
  // in use, and builders would have to compute them again.
  if (remote !== undefined) return
  const path = join(folder, 'embeddings.sqlite')
  const keys = existsSync(path) ? await keysInUse(entries, path) : new Set<string>()
  yield { kind: 'embeddings', ...deleteUnusedEmbeddings(path, keys, { isDry }) }
}

async function keysInUse(entries: OpenEntries, path: string): Promise<Set<string>> {
  const keys = new Set<string>()
  using openVersions = await entries((all) => all.flatMap(withPrevious))
  for (const { open } of openVersions) {
    const { fingerprint, arithmetic } = open.generation
    if (fingerprint === null || arithmetic === null) continue
    const made = { fingerprint, arithmetic: arithmeticInCache(path, { fingerprint, arithmetic }) }
    const textOf = embeddedTextFormatter(await findRepeatsByPage(open.pages()))
    for await (const rows of open.chunkRows()) {
      for (const row of rows) keys.add(embeddingKey(made, textOf(row)))
    }
  }
  return keys
}

function withPrevious(entry: Entry): Entry[] {
  return entry.previous === null ? [entry] : [entry, { ...entry, live: entry.previous }]
}
