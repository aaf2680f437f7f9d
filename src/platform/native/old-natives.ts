import { randomBytes } from 'node:crypto'
import { readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { sizeOnDisk } from '../file/size.ts'
import { lockExclusive, tryLockExclusive } from '../lock.ts'
import { readRollbackNatives } from './rollback-natives.ts'
import { replacedFolderPrefix, leaseName } from './unpack.ts'

type OldNatives = { count: number; bytes: number; inUse: number }

/**
 * Deletes natives that other versions of og unpacked into `root`; with `isDry`, only counts them.
 * Keeps the folders in `own`, folders for a rollback, and folders in use, because every process
 * leases the folder from which it loads. A folder is renamed before it is deleted, under the lock
 * for unpacking, so that no process can start to use it.
 */
export async function freeOldNatives(
  root: string,
  { own, isDry }: { own: readonly string[]; isDry: boolean },
): Promise<OldNatives> {
  const result = { count: 0, bytes: 0, inUse: 0 }
  const entries = await readdir(root, { withFileTypes: true }).catch(() => [])
  const needed = new Set([...own, ...(await readRollbackNatives(root))])
  const isOld = (name: string) => /^[0-9a-f]{8,64}$/.test(name) && !needed.has(name)
  const old = entries.filter((it) => it.isDirectory() && isOld(it.name))
  if (old.length === 0) return result
  const lock = { timeoutMs: 120_000, what: `the unpacked files in ${root}` }
  using _turn = await lockExclusive(join(root, '.lock'), lock)
  for (const { name } of old) {
    const folder = join(root, name)
    const bytes = await sizeOnDisk(folder)
    using lease = tryLockExclusive(join(folder, leaseName))
    if (lease === null) {
      result.inUse++
      continue
    }
    result.count++
    result.bytes += bytes
    if (isDry) continue
    const aside = join(root, `${replacedFolderPrefix}${randomBytes(4).toString('hex')}`)
    await rename(folder, aside)
    await rm(aside, { recursive: true, force: true })
  }
  return result
}
