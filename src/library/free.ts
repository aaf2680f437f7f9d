import { existsSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { embeddedTextFormatter } from '../chunk/embedded-text.ts'
import { findRepeatsByPage } from '../chunk/repeats.ts'
import { embeddingKey, deleteUnusedEmbeddings } from '../embed/cache.ts'
import { arithmeticInCache } from '../embed/probe.ts'
import { bundledOnnx } from '../platform/native/bundled.ts'
import { findOrphans, sweepGenerations } from '../store/generation.ts'
import type { Entry } from '../store/registry.ts'
import { remoteBucketOf } from '../store/remote-bucket.ts'
import type { OpenEntries } from './entries.ts'
import { randomBytes } from 'node:crypto'
import { readdir, rename, rm } from 'node:fs/promises'
import { sizeOnDisk } from '../platform/file/space.ts'
import { lockExclusive, tryLockExclusive } from '../platform/lock.ts'
import { readRollbackNatives } from '../platform/native/rollback-natives.ts'
import { replacedFolderPrefix, leaseName } from '../platform/native/unpack.ts'

export type FreeResult = {
  kind: 'states' | 'natives' | 'embeddings'
  count: number
  bytes: number
  inUse: number
}

/** `natives` is the folder of this process's native libraries; null if og runs from source. */
type Places = { folder: string; natives: string | null }

/**
 * Deletes data that no library version and no running process needs. `isDry` only counts it. Locks
 * show which data is in use, so other og processes may run at the same time.
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
  // Keep the embeddings of a store in a bucket: no single machine knows which of them are in use,
  // and builders would have to compute them again.
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

/**
 * Deletes natives that other versions of og unpacked into `root`. `isDry` only counts them. Keeps
 * the folders in `own`, folders for a rollback, and folders in use, which their processes lease.
 * Renames a folder before deleting it, under the lock for unpacking, so that no process can start
 * to use it.
 */
export async function freeOldNatives(
  root: string,
  { own, isDry }: { own: readonly string[]; isDry: boolean },
): Promise<{ count: number; bytes: number; inUse: number }> {
  const result = { count: 0, bytes: 0, inUse: 0 }
  const entries = await readdir(root, { withFileTypes: true }).catch(() => [])
  const needed = new Set([...own, ...(await readRollbackNatives(root))])
  const isOld = (name: string) => /^[0-9a-f]{8,64}$/.test(name) && !needed.has(name)
  const old = entries.filter((it) => it.isDirectory() && isOld(it.name))
  if (old.length === 0) return result
  const lock = { timeoutMs: 120_000, what: `the unpacked files in ${root}` }
  using _turn = await lockExclusive(join(root, '.lock'), lock)
  for (const { name } of old) {
    const folder = join(root, name)
    const bytes = await sizeOnDisk(folder)
    using lease = tryLockExclusive(join(folder, leaseName))
    if (lease === null) {
      result.inUse++
      continue
    }
    result.count++
    result.bytes += bytes
    if (isDry) continue
    const aside = join(root, `${replacedFolderPrefix}${randomBytes(4).toString('hex')}`)
    await rename(folder, aside)
    await rm(aside, { recursive: true, force: true })
  }
  return result
}
