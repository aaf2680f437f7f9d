import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createLockFile, tryLockExclusive } from '../../platform/lock.ts'
import { readEntryFile } from '../entry-file.ts'
import { deepFault } from './file-checks.ts'
import { hasManifest, leaseName } from './manifest.ts'
import { lockRegistry } from '../registry.ts'
import { remoteHolderOf } from '../remote/attached.ts'

/**
 * What is not as it was written, to the last byte; null: nothing, or nobody can tell. Of what a
 * bucket alone holds, names and sizes are compared.
 */
export async function generationFault(folder: string, id: string): Promise<string | null> {
  const remote = remoteHolderOf(folder, id)
  if (remote !== null) return remote.fault(id)
  const path = join(folder, 'generations', id)
  if (statSync(join(path, leaseName), { throwIfNoEntry: false })?.size !== 0) {
    return `generations/${id} has no lease`
  }
  return (await deepFault(path)) ?? entryFileFault(folder, id)
}

/**
 * What is wrong with the row that a generation keeps of itself; null: nothing. Each generation with
 * a manifest has been given one before it was published.
 */
export async function entryFileFault(folder: string, id: string): Promise<string | null> {
  if (!hasManifest(join(folder, 'generations', id))) return null
  return (await readEntryFile(folder, id)) === null ? 'entry.json is missing or damaged' : null
}

/** Makes the lease of a generation that a row names again, where it was lost or written into. */
export async function mendLease(folder: string, id: string): Promise<void> {
  using _turn = await lockRegistry(folder)
  const path = join(folder, 'generations', id, leaseName)
  if (!existsSync(path)) createLockFile(path)
  // Empties it where it is no lock file: then nobody holds it.
  tryLockExclusive(path)?.[Symbol.dispose]()
}
