import { readdirSync } from 'node:fs'
import { copyFile, open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { OgError } from '../../platform/error.ts'
import { syncFolder } from '../../platform/file/files.ts'
import { explainDiskError } from '../../platform/file/space.ts'
import { unusedPackName, packFileName } from '../pack/packs.ts'
import { lockRegistryFolder, partialPackName } from '../registry/registry-lock.ts'

/**
 * Adds a pack to the folder of a registry, atomically, under a name that no pack of this version
 * has had: `kettle-1.0.ogpack`, then `kettle-1.0+2.ogpack`. Does not write the index.
 * @returns the file name
 */
export async function publishPack(
  folder: string,
  { from, library, version }: { from: string; library: string; version: string },
): Promise<string> {
  const what = `registry "${folder}"`
  using _lock = await lockRegistryFolder(folder)
  // The name is fixed, and used under the lock, so that the next run overwrites the file of a
  // killed run.
  const part = join(folder, partialPackName)
  try {
    await copyFile(from, part)
    await using file = await open(part, 'r+')
    await file.sync()
  } catch (cause) {
    await rm(part, { force: true }).catch(() => {})
    const refused = explainDiskError(cause, 'the registry')
    if (refused === null) throw cause
    throw new OgError(`Cannot publish into ${what}: ${refused.why}`, { cause })
  }
  const name = unusedPackName(readdirSync(folder), packFileName({ library, version }))
  await rename(part, join(folder, name))
  await syncFolder(folder)
  return name
}
