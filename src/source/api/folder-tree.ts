import { readFile, realpath, stat } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { sizeLimitBytes } from '../select/select.ts'
import type { SourceTree } from './api-events.ts'

type FolderPlace = { real: string; addressOf(path: string): string }

/**
 * The files of a folder in which og looks for packages. A link that leaves the folder cannot be
 * read, nor can a file that is too large for a source file.
 */
export function folderTree(paths: readonly string[], { real, addressOf }: FolderPlace): SourceTree {
  return {
    paths,
    addressOf,
    async read(path) {
      const file = await realpath(join(real, path)).catch(() => null)
      if (file === null || !file.startsWith(real + sep)) return null
      const stats = await stat(file).catch(() => null)
      if (!stats?.isFile() || stats.size > sizeLimitBytes) return null
      return await readFile(file).catch(() => null)
    },
  }
}
