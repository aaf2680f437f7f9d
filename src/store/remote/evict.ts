import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { bytesBelow } from '../../platform/file/size.ts'
import { leaseName } from '../integrity/manifest.ts'
import { deleteCopy } from '../generation.ts'

/**
 * Deletes copies, those first that were used longest ago, until the rest takes `cacheBytes` at
 * most. What somebody reads or writes stays, and so does `id`, which is about to be read.
 */
export async function evict(
  folder: string, { id: kept, cacheBytes }: { id: string; cacheBytes: number },
): Promise<void> {
  const root = join(folder, 'generations')
  const copies = await copiesIn(root)
  let bytes = copies.reduce((sum, copy) => sum + copy.bytes, 0)
  for (const { id, bytes: own } of copies) {
    if (bytes <= cacheBytes) return
    if (id !== kept && (await deleteCopy(folder, id))) bytes -= own
  }
}

/** The one used longest ago first. */
async function copiesIn(root: string): Promise<{ id: string; bytes: number; usedAt: number }[]> {
  const names = await readdir(root).catch(() => [])
  const copies = await Promise.all(names.map(async (id) => {
    const lease = await stat(join(root, id, leaseName)).catch(() => null)
    if (lease === null) return []
    return [{ id, bytes: await bytesBelow(join(root, id)), usedAt: lease.mtimeMs }]
  }))
  return copies.flat().sort((a, b) => a.usedAt - b.usedAt)
}
