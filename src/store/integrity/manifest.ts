import { existsSync, readFileSync, statSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseJsonOrUndefined } from '../../platform/json.ts'
import { OgError } from '../../platform/error.ts'
import { sha256, sha256OfFile } from '../../platform/hash.ts'
import { filesBelow, sizeOnDisk } from '../../platform/file/space.ts'
import { FileFault } from './damage.ts'

export type Manifest = { files: ManifestFile[] }

export type ManifestFile = { path: string; size: number; sha256: string }

const manifestName = 'manifest.json'
export const leaseName = 'lease'

/** `sum` is the SHA-256 of `files` as JSON, which reveals a damaged manifest. */
type StoredManifest = Manifest & { format: number; sum: string }

const format = 1
/**
 * Files that the manifest does not list. The `lease` is excluded because closing a handle to it
 * releases all of this process's locks on it. The others are written after `finish`, and contain
 * their own checksum or only notes.
 */
const unlistedFiles = [leaseName, manifestName, 'entry.json', 'renewed-validators.json']

/** Hashes every file in a generation's folder. `finish` calls it after everything is written. */
export async function writeManifest(folder: string): Promise<void> {
  const files: ManifestFile[] = []
  for (const path of await listableFiles(folder)) {
    const { size } = statSync(join(folder, path))
    files.push({ path, size, sha256: await sha256OfFile(join(folder, path)) })
  }
  files.sort((a, b) => (a.path < b.path ? -1 : 1))
  const manifest: StoredManifest = { format, sum: sumOf(files), files }
  await writeFile(join(folder, manifestName), `${JSON.stringify(manifest, null, 1)}\n`)
}

export function readManifest(folder: string): Manifest {
  const path = join(folder, manifestName)
  if (!existsSync(path)) throw new FileFault(`${manifestName} is missing`)
  const text = statSync(path).isFile() ? readFileSync(path, 'utf8') : ''
  const manifest = parseJsonOrUndefined(text) as Partial<StoredManifest> | null | undefined
  if (typeof manifest?.format === 'number' && manifest.format > format) {
    const state = `its format is ${manifest.format}, limit is ${format}`
    throw new OgError(`Cannot read "${path}": ${state}`, { hint: 'install a newer og' })
  }
  const isWhole = Array.isArray(manifest?.files) && sumOf(manifest.files) === manifest.sum
  if (!isWhole) throw new FileFault(`${manifestName} is damaged`)
  return { files: manifest!.files! }
}

/**
 * Returns the size of the files in a generation's folder. Takes listed files' sizes from the
 * manifest. If the manifest is unreadable, takes all sizes from disk.
 */
export async function generationSize(folder: string): Promise<number> {
  try {
    const sizes = readManifest(folder).files.map(({ size }) => size)
    const unlisted = unlistedFiles.map(
      (name) => statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0,
    )
    return [...sizes, ...unlisted].reduce((sum, size) => sum + size, 0)
  } catch {
    return sizeOnDisk(folder)
  }
}

/** True if a generation has files that its manifest does not list. @throws like `readManifest` */
export async function hasUnlistedFiles(folder: string): Promise<boolean> {
  const listed = new Set(readManifest(folder).files.map(({ path }) => path))
  return (await listableFiles(folder)).some((path) => !listed.has(path))
}

async function listableFiles(folder: string): Promise<string[]> {
  return (await filesBelow(folder)).filter((path) => !unlistedFiles.includes(path))
}

function sumOf(files: ManifestFile[]): string {
  return sha256(JSON.stringify(files))
}

export function lacksTables(path: string): boolean {
  return existsSync(join(path, withoutTablesMark))
}

/** Marks a local copy without tables. They exceed the cache and are read from the bucket. */
export const withoutTablesMark = 'without-tables'
