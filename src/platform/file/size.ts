import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Returns the size of a file, or of all files in a folder. A file that is deleted in the meantime
 * counts as 0.
 */
export async function sizeOnDisk(path: string): Promise<number> {
  const stats = await lstat(path).catch(() => null)
  if (stats === null) return 0
  if (!stats.isDirectory()) return stats.size
  const names = await readdir(path).catch((): string[] => [])
  const sizes = await Promise.all(names.map((name) => sizeOnDisk(join(path, name))))
  return sizes.reduce((sum, size) => sum + size, 0)
}

/** Formats a size as `820 B`, `34.2 kB` or `1.2 GB`; a kB has 1,000 bytes. */
export function formatBytes(bytes: number): string {
  const power = Math.min(4, Math.floor(Math.log10(Math.max(1, bytes)) / 3))
  if (power === 0) return `${bytes} B`
  const value = bytes / 1000 ** power
  const unit = ['kB', 'MB', 'GB', 'TB'][power - 1]
  return `${value >= 100 ? Math.round(value) : value.toFixed(1)} ${unit}`
}
