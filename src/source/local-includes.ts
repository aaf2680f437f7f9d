import { existsSync } from 'node:fs'
import { readFile, realpath, stat } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { decodeText } from '../page/decode.ts'
import type { IncludedFiles } from '../page/include/include.ts'
import { tooLarge } from './select/select.ts'

/**
 * The files that pages of a folder may include: those of the work tree that the folder stands in,
 * or else of the folder. Hidden files and links that lead out are not among them. `real` is the
 * folder's path with links resolved.
 */
export function localIncludes(real: string): (path: string) => IncludedFiles {
  const top = workTree(real)
  const below = relative(top, real).split(sep).filter((part) => part !== '')
  const read = (path: string) => fileText(top, path)
  return (path) => ({ from: [...below, path].join('/'), read })
}

function workTree(folder: string): string {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, '.git'))) return at
    if (dirname(at) === at) return folder
  }
}

/** The text of a file; null: it is missing, may not be included, or is not text. */
async function fileText(top: string, path: string): Promise<string | null> {
  if (path.split('/').some((part) => part.startsWith('.'))) return null
  const real = await realpath(join(top, path)).catch(() => null)
  if (real === null || isOutside(relative(top, real))) return null
  const stats = await stat(real).catch(() => null)
  if (!stats?.isFile() || tooLarge(stats.size)) return null
  return readFile(real).then((bytes) => decodeText(bytes, path)).catch(() => null)
}

/** Whether a resolved path is outside the top folder, or hidden: `..` begins with a dot, too. */
function isOutside(path: string): boolean {
  return path.split(sep).some((part) => part.startsWith('.')) || path.startsWith(sep)
}
