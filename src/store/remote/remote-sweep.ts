import { runInOrder } from '../../platform/concurrency.ts'
import type { RemoteOrphans } from '../remote-bucket.ts'
import type { Bucket, StoredText } from './bucket.ts'
import type { StoredRegistry } from '../registry-text.ts'
import { uploadLanes } from './download.ts'
import { referencedIds, parseOwnRegistry, replaceRegistry } from './remote-registry.ts'

/** Time during which a reader may still fetch generations from an older registry. */
export const graceMs = 3_600_000

/**
 * Deletes the objects of generations that were last referenced over an hour ago, by the bucket's
 * clock. Then removes these generations from the registry. No builder can publish a retired id
 * again. If the process is killed in between, the next sweep continues.
 */
export async function sweepRetired(bucket: Bucket, registry: StoredRegistry): Promise<string[]> {
  const referenced = referencedIds(registry)
  const due = Object.entries(registry.retired ?? {})
    .filter(([id, at]) => !referenced.has(id) && bucket.now() - Date.parse(at) > graceMs)
    .map(([id]) => id)
  if (due.length === 0) return []
  for (const id of due) await deleteGeneration(bucket, id)
  await replaceRegistry(bucket, async (now) => {
    const retired = Object.entries(now.retired ?? {}).filter(([id]) => !due.includes(id))
    return { ...now, retired: Object.fromEntries(retired) }
  })
  return due
}

/** Deletes the manifest first, so that nobody considers the rest complete. */
async function deleteGeneration(bucket: Bucket, id: string): Promise<void> {
  const below = `generations/${id}/`
  await bucket.delete(`${below}manifest.json`)
  // Read the whole listing first, because it may skip objects during deletion.
  const objects = await Array.fromAsync(bucket.list(below))
  for await (const _ of runInOrder(objects, ({ key }) => bucket.delete(key), {
    lanes: uploadLanes,
  }));
}

/**
 * Retires generations that no row references and that were not written to for an hour: the remains
 * of interrupted uploads. If a builder is still running, it fails to publish its generation, and
 * the sweep an hour later deletes it.
 */
export async function retireOrphans(
  bucket: Bucket,
  { isDry }: { isDry: boolean },
): Promise<RemoteOrphans> {
  const generations = await generationsIn(bucket)
  const object = (await bucket.read('registry.json')) as StoredText | null
  if (object === null) return { ids: [], bytes: 0, waiting: 0 }
  const registry = parseOwnRegistry(bucket, object.text)
  const referenced = referencedIds(registry)
  const idle = [...generations].filter(
    ([id, { modified }]) =>
      !referenced.has(id) &&
      registry.retired?.[id] === undefined &&
      bucket.now() - modified > graceMs,
  )
  if (!isDry && idle.length > 0) {
    await replaceRegistry(bucket, async (now) => {
      const are = referencedIds(now)
      const at = new Date(bucket.now()).toISOString()
      const more = idle.filter(([id]) => !are.has(id)).map(([id]) => [id, at])
      return { ...now, retired: { ...Object.fromEntries(more), ...now.retired } }
    })
  }
  const gone = isDry ? dueIn(bucket, registry) : await sweepRetired(bucket, registry)
  const bytes = gone.reduce((sum, id) => sum + (generations.get(id)?.bytes ?? 0), 0)
  const waiting = Object.keys(registry.retired ?? {}).length - gone.length + idle.length
  return { ids: gone, bytes, waiting }
}

function dueIn(bucket: Bucket, { retired = {} }: StoredRegistry): string[] {
  return Object.keys(retired).filter((id) => bucket.now() - Date.parse(retired[id]!) > graceMs)
}

/** `isWhole` is true if it has a manifest, which is uploaded last. */
type GenerationUpload = { bytes: number; modified: number; isWhole: boolean }

export async function generationsIn(bucket: Bucket): Promise<Map<string, GenerationUpload>> {
  const generations = new Map<string, GenerationUpload>()
  for await (const { key, size, modified } of bucket.list('generations/')) {
    const id = key.split('/')[1] ?? ''
    const sum = generations.get(id) ?? { bytes: 0, modified: 0, isWhole: false }
    generations.set(id, {
      bytes: sum.bytes + size,
      modified: Math.max(sum.modified, modified),
      isWhole: sum.isWhole || key === `generations/${id}/manifest.json`,
    })
  }
  return generations
}
