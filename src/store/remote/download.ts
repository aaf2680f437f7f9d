import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, rename, rm, stat, utimes } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { inOrder } from '../../platform/concurrency.ts'
import { syncFolder } from '../../platform/file/files.ts'
import { sha256OfFile } from '../../platform/hash.ts'
import { createLockFile, lockExclusive } from '../../platform/lock.ts'
import { Fault } from '../integrity/damage.ts'
import { leaseName, readManifest, type ManifestFile } from '../integrity/manifest.ts'
import { writing } from '../lance.ts'
import type { Bucket } from './bucket.ts'
import { lanes } from './upload.ts'

/**
 * Copies a generation into the folder, unless it is there: each file beside first, compared with
 * its SHA-256, then all by one rename. What a killed run left is gone on with. Where the bucket
 * has no such generation, nothing is made. @returns whether it was copied
 * @throws Fault where it is not what was written
 */
export async function fetchGeneration(
  { bucket, folder }: { bucket: Bucket; folder: string }, id: string,
): Promise<boolean> {
  const path = join(folder, 'generations', id)
  const lease = join(path, leaseName)
  // Which copy was used last; by name, since no handle of a lease may be opened and closed.
  if (existsSync(lease)) {
    await utimes(lease, new Date(), new Date()).catch(() => {})
    return false
  }
  return writing(folder, async () => {
    using _turn = await lockExclusive(join(folder, 'locks', `copy-${turnOf(id)}`), {
      timeoutMs: 3_600_000, what: `the copy of generation ${id}`,
    })
    if (existsSync(lease)) return false
    const beside = join(folder, 'copying', id)
    if (!(await downloadInto({ bucket, id, beside }))) return false
    createLockFile(join(beside, leaseName))
    await syncFolder(beside)
    await mkdir(dirname(path), { recursive: true })
    // A folder without its lease is no copy, whatever made it.
    await rm(path, { recursive: true, force: true })
    await rename(beside, path)
    await syncFolder(dirname(path))
    return true
  })
}

type Copying = { bucket: Bucket; id: string; beside: string }

/** @returns false: there is no such generation, or no more */
async function downloadInto({ bucket, id, beside }: Copying): Promise<boolean> {
  const below = `generations/${id}/`
  await mkdir(beside, { recursive: true })
  const fetched = (name: string) => bucket.download(below + name, join(beside, name))
  if (!(await fetched('manifest.json')) || !(await fetched('entry.json'))) return false
  const { files } = readManifest(beside)!
  const odd = files.find(({ path }) => !isPlainPath(path))
  if (odd !== undefined) throw new Fault(`manifest.json names ${JSON.stringify(odd.path)}`)
  for (const folder of new Set(files.map(({ path }) => dirname(path)))) {
    await mkdir(join(beside, folder), { recursive: true })
  }
  const download = async (file: ManifestFile) => {
    const path = join(beside, file.path)
    // A body may be cut without a word: what is wrong three times lies there so.
    for (let attempt = 0; attempt < 3; attempt++) {
      if (await isWhole(path, file)) return true
      if (!(await fetched(file.path))) return false
    }
    if (await isWhole(path, file)) return true
    throw new Fault(`${file.path} in ${bucket.place} is not what was written`)
  }
  for await (const isThere of inOrder(files, download, { lanes })) if (!isThere) return false
  await fetched('renewed-validators.json')
  return true
}

async function isWhole(path: string, { size, sha256 }: ManifestFile): Promise<boolean> {
  const found = await stat(path).catch(() => null)
  return found?.size === size && (await sha256OfFile(path)) === sha256
}

/** As LanceDB and og name files; whoever may write into a bucket must not write elsewhere. */
function isPlainPath(path: string): boolean {
  return path.split('/').every((part) => /^[\w-][\w.-]*$/.test(part))
}

/** Some of many lock files, which are never deleted. */
function turnOf(id: string): string {
  return createHash('sha256').update(id).digest('hex').slice(0, 2)
}
