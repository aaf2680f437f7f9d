import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { runInOrder } from '../../platform/concurrency.ts'
import { OgError } from '../../platform/error.ts'
import { sha256OfFile } from '../../platform/hash.ts'
import { readManifest } from '../integrity/manifest.ts'
import type { Bucket } from './bucket.ts'

export const uploadLanes = 8

/** Size limit of one PUT (5 GB for S3). */
const mostBytes = 5_000_000_000

/**
 * Uploads the files of a generation that the bucket lacks. Uploads the manifest last, so that a
 * generation with a manifest is complete. An interrupted upload can be resumed, because the content
 * of a file name never changes.
 */
export async function uploadGeneration(
  { bucket, folder }: { bucket: Bucket; folder: string },
  id: string,
): Promise<void> {
  const path = join(folder, 'generations', id)
  const below = `generations/${id}/`
  const there = new Map<string, number>()
  for await (const { key, size } of bucket.list(below)) there.set(key.slice(below.length), size)
  if (there.has('manifest.json')) return
  const manifest = readManifest(path)
  const lacking = manifest.files.filter((file) => there.get(file.path) !== file.size)
  const upload = async (name: string, sum: string | null) => {
    const file = join(path, name)
    const { size } = await stat(file)
    if (size > mostBytes) throw tooLarge(name, size)
    const sha256 = sum ?? (await sha256OfFile(file))
    await bucket.write(below + name, { path: file, size, sha256 })
  }
  for await (const _ of runInOrder(lacking, (it) => upload(it.path, it.sha256), {
    lanes: uploadLanes,
  }));
  const notes = await readFile(join(path, 'renewed-validators.json'), 'utf8').catch(() => null)
  if (notes !== null) await upload('renewed-validators.json', null)
  await upload('entry.json', null)
  await upload('manifest.json', null)
}

function tooLarge(name: string, size: number): OgError {
  const gigabytes = (size / 1e9).toFixed(1)
  return new OgError(
    `Cannot publish "${name}": it is ${gigabytes} GB, the limit of a bucket is 5 GB`,
  )
}
