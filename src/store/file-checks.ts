import { existsSync, readFileSync, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { messageOf, OgError } from '../platform/error.ts'
import { sha256OfFile } from '../platform/hash.ts'
import {
  FileFault,
  checkBytes,
  type CheckBytes,
  sizeFault,
  changedFault,
} from './integrity/damage.ts'
import { readManifest, type Manifest, type ManifestFile, leaseName } from './integrity/manifest.ts'
import { createLockFile, tryLockExclusive } from '../platform/lock.ts'
import { readEntryFile } from './entry-file.ts'
import { lockRegistry } from './registry.ts'
import { bucketWithOnlyCopy } from './remote-bucket.ts'

/** Files of at most this size are read and hashed whenever their table is opened. */
const smallBytes = 64 * 1024

/**
 * Checks a table's files before they are read: the size of every file and the content of the small
 * files that LanceDB reads. This takes half a millisecond. `checkBytes` and row-sums.ts check other
 * data when it is read.
 * @throws Fault
 */
export function checkTableFiles(folder: string, manifest: Manifest, table: string): void {
  const files = manifest.files.filter(({ path }) => path.startsWith(`${table}.lance/`))
  for (const file of files) checkSize(folder, file, sizeOf(join(folder, file.path)))
  // LanceDB numbers versions in descending order, so the first is the newest.
  const newest = files.find(({ path }) => path.includes('/_versions/'))
  for (const file of files) {
    const isRead = file === newest || !/\/_(?:versions|transactions)\//.test(file.path)
    const isSmall = isRead && file.size <= smallBytes
    if (isSmall) checkBytes(file, readFileSync(join(folder, file.path)))
  }
}

export function quickCheck(folder: string): Promise<string | null> {
  return faultOf(folder, (file) => file.size <= smallBytes || !file.path.includes('/'))
}

export function deepCheck(folder: string, within = ''): Promise<string | null> {
  return faultOf(folder, ({ path }) => path.startsWith(within), within)
}

async function faultOf(
  folder: string,
  isHashed: (file: ManifestFile) => boolean,
  within = '',
): Promise<string | null> {
  try {
    const { files } = readManifest(folder)
    for (const file of files.filter(({ path }) => path.startsWith(within))) {
      const path = join(folder, file.path)
      checkSize(folder, file, sizeOf(path))
      if (isHashed(file) && (await sha256OfFile(path)) !== file.sha256) throw changedFault(file)
    }
    return null
  } catch (error) {
    if (error instanceof OgError) throw error
    return messageOf(error)
  }
}

/** Reads an optional file next to the tables, or returns null if it is missing. */
export async function readOptionalFile(path: string, check?: CheckBytes): Promise<Buffer | null> {
  const bytes = await readFile(path).catch((error) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  if (bytes !== null) check?.(bytes)
  return bytes
}

function checkSize(folder: string, file: ManifestFile, size: number | null): void {
  if (size === file.size) return
  const table = /^(\w+)\.lance\//.exec(file.path)?.[1]
  if (table && !existsSync(join(folder, `${table}.lance`))) {
    throw new FileFault(`Table '${table}' was not found`)
  }
  throw size === null ? new FileFault(`${file.path} is missing`) : sizeFault(file, size)
}

function sizeOf(path: string): number | null {
  const stats = statSync(path, { throwIfNoEntry: false })
  return stats?.isFile() ? stats.size : null
}

/**
 * Verifies every byte of a generation. Returns the problem, or null if there is none or it cannot
 * be determined. If only a bucket has the generation, compares names and sizes.
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
  // Empties the file if it is not a valid lock file. No process can hold such a lock.
  tryLockExclusive(path)?.[Symbol.dispose]()
}
