import { join } from 'node:path'
import { lockTransient, type Lock } from '../../platform/lock.ts'

/** A pack on its way into the folder of a registry; a killed run may have left it. */
export const partName = '.og-ci.part'

/** The right to change what lies in the folder of a registry. Leaves no file there. */
export function lockRegistryFolder(folder: string): Promise<Lock> {
  const what = `registry "${folder}"`
  return lockTransient(join(folder, '.og-registry.lock'), { timeoutMs: 600_000, what })
}
