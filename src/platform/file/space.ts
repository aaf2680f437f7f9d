import { existsSync } from 'node:fs'
import { access, constants, lstat, readdir, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, relative, sep } from 'node:path'
import { messageOf, OgError } from '../error.ts'

export async function canWrite(folder: string): Promise<boolean> {
  const mode = constants.W_OK | constants.X_OK
  return access(existingFolder(folder), mode).then(
    () => true,
    () => false,
  )
}

export async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(existingFolder(folder))
  return bavail * bsize
}

/**
 * Explains a failed write, from an error by the system, SQLite or LanceDB, and suggests a remedy.
 * Returns null if the disk is not the cause. `variable` is the setting that selects a different
 * folder.
 */
export function explainDiskError(
  error: unknown,
  variable: string,
): { why: string; hint: string } | null {
  const text = `${messageOf(error)} ${String((error as { code?: unknown }).code ?? '')}`
  if (/no space left|ENOSPC|disk (is )?full|SQLITE_FULL|quota exceeded|EDQUOT/i.test(text)) {
    const hint = `free some space, or set ${variable} to another folder`
    return { why: 'the disk is full', hint }
  }
  if (/file too large|EFBIG/i.test(text)) {
    const hint = 'let it write larger files (ulimit -f unlimited)'
    return { why: 'a file would be larger than this process may write', hint }
  }
  if (/read-only|EROFS|EACCES|permission denied|SQLITE_READONLY/i.test(text)) {
    return { why: 'it is read-only', hint: `set ${variable} to a writable folder` }
  }
  return null
}

export function throwTempFolderError(cause: NodeJS.ErrnoException): never {
  const reasons: Record<string, string> = {
    ENOENT: 'there is no such folder',
    ENOTDIR: 'it is not a folder',
    EACCES: 'you have no permission to write to it',
    EROFS: 'it is read-only',
    ENOSPC: 'the disk is full',
    EDQUOT: 'your quota is used up',
  }
  const why = reasons[String(cause.code)] ?? messageOf(cause)
  throw new OgError(`Cannot create a temporary folder in "${tmpdir()}": ${why}`, {
    hint: 'set TMPDIR to a writable folder',
    cause,
  })
}

function existingFolder(folder: string): string {
  return existsSync(folder) || dirname(folder) === folder ? folder : existingFolder(dirname(folder))
}

/** Returns the size of a file or folder. Files that have just been deleted count as 0. */
export async function sizeOnDisk(path: string): Promise<number> {
  const stats = await lstat(path).catch(() => null)
  if (stats === null) return 0
  if (!stats.isDirectory()) return stats.size
  const names = await readdir(path).catch((): string[] => [])
  const sizes = await Promise.all(names.map((name) => sizeOnDisk(join(path, name))))
  return sizes.reduce((sum, size) => sum + size, 0)
}

/** Returns the paths of all files below a folder, relative to it and `/`-separated. */
export async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true })
  const files = entries.filter((entry) => !entry.isDirectory())
  return files.map(({ parentPath, name }) =>
    relative(folder, join(parentPath, name)).replaceAll(sep, '/'),
  )
}

/** Formats a size as `820 B`, `34.2 kB` or `1.2 GB`; a kB has 1,000 bytes. */
export function formatBytes(bytes: number): string {
  const power = Math.min(4, Math.floor(Math.log10(Math.max(1, bytes)) / 3))
  if (power === 0) return `${bytes} B`
  const value = bytes / 1000 ** power
  const unit = ['kB', 'MB', 'GB', 'TB'][power - 1]
  return `${value >= 100 ? Math.round(value) : value.toFixed(1)} ${unit}`
}

/** Deletes the remains of killed runs in a folder: entries whose names begin with `start`. */
export async function deleteLeftovers(folder: string, start: string, leastMs = 0): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name)
    if (!name.startsWith(start)) continue
    const isOld = leastMs === 0 || Date.now() - (await lstat(path)).mtimeMs > leastMs
    if (isOld) await rm(path, { recursive: true, force: true })
  }
}
