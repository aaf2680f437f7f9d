import { join } from 'node:path'
import { lockTransient, type Lock } from '../../platform/lock.ts'

/**
 * Name of a pack that is being copied into the folder of a registry; a killed run may leave one
 * behind.
 */
export const partialPackName = '.og-ci.part'

/**
 * Waits for the exclusive lock on the folder of a registry. The lock file is deleted afterwards.
 */
export function lockRegistryFolder(folder: string): Promise<Lock> {
  const what = `registry "${folder}"`
  return lockTransient(join(folder, '.og-registry.lock'), { timeoutMs: 600_000, what })
}
