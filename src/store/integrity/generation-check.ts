import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createLockFile, tryLockExclusive } from '../../platform/lock.ts'
import { readEntryFile } from '../entry-file.ts'
import { deepCheck } from './file-checks.ts'
import { leaseName } from './manifest.ts'
import { lockRegistry } from '../registry.ts'
import { bucketWithOnlyCopy } from '../remote/remote-bucket.ts'

/**
 * Verifies every byte of a generation. Returns the problem; null if there is none or it cannot be
 * determined. If only a bucket has the generation, compares names and sizes.
 */
export async function findGenerationFault(folder: string, id: string): Promise<string | null> {
  const remote = bucketWithOnlyCopy(folder, id)
  if (remote !== null) return remote.fault(id)
  const path = join(folder, 'generations', id)
  if (statSync(join(path, leaseName), { throwIfNoEntry: false })?.size !== 0) {
    return `generations/${id} has no lease`
  }
  return (await deepCheck(path)) ?? findEntryFileFault(folder, id)
}

export async function findEntryFileFault(folder: string, id: string): Promise<string | null> {
  return (await readEntryFile(folder, id)) === null ? 'entry.json is missing or damaged' : null
}

export async function repairLease(folder: string, id: string): Promise<void> {
  using _turn = await lockRegistry(folder)
  const path = join(folder, 'generations', id, leaseName)
  if (!existsSync(path)) createLockFile(path)
  // Empties the file if it is not a valid lock file, because no process can hold such a lock.
  tryLockExclusive(path)?.[Symbol.dispose]()
}
