import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { inOrder } from '../../platform/concurrency.ts'
import { syncFolder, syncTree } from '../../platform/file/files.ts'
import { sha256OfFile } from '../../platform/hash.ts'
import { createLockFile, lockExclusive } from '../../platform/lock.ts'
import { Fault } from '../integrity/damage.ts'
import { leaseName, readManifest, type ManifestFile } from '../integrity/manifest.ts'
import { writing } from '../lance.ts'
import { lockRegistry } from '../registry.ts'
import { lanes } from './upload.ts'

/** Where a generation lies now. */
export type GenerationOrigin = {
  place: string
  /** Writes one of its files to a new path. @returns false: there is none, or no more */
  file(name: string, into: string): Promise<boolean>
}

export type Receiving = {
  origin: GenerationOrigin
  /** Called under the registry's lock once it is there, so that no sweep comes first. */
  onPlaced?: () => void
  /** Without its entry.json, which who publishes it writes: no registry has named it here. */
  isUnnamed?: boolean
}

/**
 * Copies a generation into a folder, unless it is there: each file beside first, compared with its
 * SHA-256, then all by one rename. What a killed run left is gone on with. Where the origin has no
 * such generation, nothing is made. @returns whether it was copied
 * @throws Fault where it is not what was written
 */
export async function receiveGeneration(
  folder: string, id: string, { origin, onPlaced = () => {}, isUnnamed = false }: Receiving,
): Promise<boolean> {
  const path = join(folder, 'generations', id)
  const lease = join(path, leaseName)
  return writing(folder, async () => {
    using _turn = await lockExclusive(join(folder, 'locks', `copy-${turnOf(id)}`), {
      timeoutMs: 3_600_000, what: `the copy of generation ${id}`,
    })
    const beside = join(folder, 'copying', id)
    if (!existsSync(lease)) {
      if (!(await receiveInto(beside, origin, isUnnamed))) return false
      await syncTree(beside)
      createLockFile(join(beside, leaseName))
      await mkdir(dirname(path), { recursive: true })
    }
    using _registry = await lockRegistry(folder)
    const isNew = !existsSync(lease)
    if (isNew) {
      // A folder without its lease is no copy, whatever made it.
      await rm(path, { recursive: true, force: true })
      await rename(beside, path)
      await syncFolder(dirname(path))
    }
    onPlaced()
    return isNew
  })
}

/** @returns false: there is no such generation, or no more */
async function receiveInto(
  beside: string, { place, file }: GenerationOrigin, isUnnamed: boolean,
): Promise<boolean> {
  await mkdir(beside, { recursive: true })
  const fetched = (name: string) => file(name, join(beside, name))
  if (!(await fetched('manifest.json'))) return false
  if (!isUnnamed && !(await fetched('entry.json'))) return false
  const { files } = readManifest(beside)!
  const odd = files.find(({ path }) => !isPlainPath(path))
  if (odd !== undefined) throw new Fault(`manifest.json names ${JSON.stringify(odd.path)}`)
  for (const folder of new Set(files.map(({ path }) => dirname(path)))) {
    await mkdir(join(beside, folder), { recursive: true })
  }
  const receive = async (file: ManifestFile) => {
    const path = join(beside, file.path)
    // A body may be cut without a word: what is wrong three times lies there so.
    for (let attempt = 0; attempt < 3; attempt++) {
      if (await isWhole(path, file)) return true
      if (!(await fetched(file.path))) return false
    }
    if (await isWhole(path, file)) return true
    throw new Fault(`${file.path} in ${place} is not what was written`)
  }
  for await (const isThere of inOrder(files, receive, { lanes })) if (!isThere) return false
  await fetched('renewed-validators.json')
  return true
}

async function isWhole(path: string, { size, sha256 }: ManifestFile): Promise<boolean> {
  const stats = await stat(path).catch(() => null)
  return stats?.size === size && (await sha256OfFile(path)) === sha256
}

/** As LanceDB and og name files; whoever may write into a bucket must not write elsewhere. */
function isPlainPath(path: string): boolean {
  return path.split('/').every((part) => /^[\w-][\w.-]*$/.test(part))
}

/** Some of many lock files, which are never deleted. */
function turnOf(id: string): string {
  return createHash('sha256').update(id).digest('hex').slice(0, 2)
}
