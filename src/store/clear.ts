import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { clearEmbeddingCache } from '../embed/cache.ts'
import type { OgError } from '../platform/error.ts'
import { forgetEntryFiles, publishedIds } from './entry-file.ts'
import { sweepGenerations } from './generation.ts'
import { libraryCardsName } from './library-cards.ts'
import { lockRegistry, readEntries, type Entry } from './registry.ts'
import { isNewerRegistry } from './registry-text.ts'
import { remoteBucketOf } from './remote-bucket.ts'

/** Everything that og has created in a folder. `entries` is null if the registry is unreadable. */
type StoreContent = { entries: Entry[] | null; generations: string[]; hasCache: boolean }

const cacheName = 'embeddings.sqlite'

/**
 * Lists the content of a store without changing it. Accepts a damaged registry.
 * @throws OgError if a newer og wrote the store, or if its registry.json is not from og
 */
export async function storeContent(folder: string): Promise<StoreContent> {
  const names: string[] = await readdir(folder).catch(() => [])
  const generations = await ownGenerations(folder)
  const hasCache = names.includes(cacheName)
  const entries = await readEntries(folder).catch((error: OgError) => error)
  if (Array.isArray(entries)) return { entries, generations, hasCache }
  // If a bucket cannot be read, its content is unknown.
  if (remoteBucketOf(folder) !== null) throw entries
  const isOurs = generations.length > 0 || names.includes('locks')
  if (!isOurs || (await isNewer(folder))) throw entries
  return { entries: null, generations, hasCache }
}

/**
 * Deletes the registry, the embedding cache, and every generation without readers or writers. Keeps
 * other files. In a bucket, generations stay for another hour, as after a replacement. Calls
 * `mayDelete` with the rows, under the registry lock.
 * @returns the ids of generations still in use, or null if `mayDelete` refused and nothing was
 * changed
 */
export async function clearStore(
  folder: string,
  mayDelete: (entries: Entry[]) => boolean,
): Promise<string[] | null> {
  const { entries, generations, hasCache } = await storeContent(folder)
  if (entries?.length === 0 && generations.length === 0 && !hasCache) return []
  if (!(await deleteRegistry(folder, mayDelete))) return null
  await sweepGenerations(folder)
  clearEmbeddingCache(join(folder, cacheName))
  return ownGenerations(folder)
}

async function deleteRegistry(
  folder: string,
  mayDelete: (entries: Entry[]) => boolean,
): Promise<boolean> {
  const remote = remoteBucketOf(folder)
  if (remote !== null) {
    let isWanted = false
    await remote.change((entries) => ((isWanted = mayDelete(entries)) ? [] : entries))
    return isWanted
  }
  using _turn = await lockRegistry(folder)
  const { entries } = await storeContent(folder)
  if (!mayDelete(entries ?? [])) return false
  await forgetEntryFiles(folder, await publishedIds(folder))
  await rm(join(folder, 'registry.json'), { force: true })
  await rm(join(folder, libraryCardsName), { force: true })
  return true
}

async function ownGenerations(folder: string): Promise<string[]> {
  const root = join(folder, 'generations')
  const entries = await readdir(root, { withFileTypes: true }).catch(() => [])
  const ours: string[] = []
  for (const { name } of entries.filter((entry) => entry.isDirectory())) {
    const inside: string[] = await readdir(join(root, name)).catch(() => [])
    if (inside.includes('lease')) ours.push(name)
  }
  return ours
}

async function isNewer(folder: string): Promise<boolean> {
  const text = await readFile(join(folder, 'registry.json'), 'utf8').catch(() => '')
  return isNewerRegistry(text)
}
