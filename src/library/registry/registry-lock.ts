import { join } from 'node:path'
import { lockTransient, type Lock } from '../../platform/lock.ts'

/**
 * Temporary name of a pack that is being copied into a registry; a killed run may leave such a
 * file.
 */
export const partialPackName = '.og-ci.part'

/** Waits for the exclusive lock on the folder of a registry. Deletes the lock file afterwards. */
export function lockRegistryFolder(folder: string): Promise<Lock> {
  const what = `registry "${folder}"`
  return lockTransient(join(folder, '.og-registry.lock'), { timeoutMs: 600_000, what })
}
