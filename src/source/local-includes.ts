import { existsSync } from 'node:fs'
import { readFile, realpath, stat } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { decodeText } from '../page/decode.ts'
import type { IncludedFiles } from '../page/include/include.ts'
import { tooLarge } from './select/select.ts'

/**
 * The files that pages of a folder may include: the files of its git working tree if it has one,
 * else the files of the folder. Excludes hidden files and links that lead out. `real` is the
 * folder's path with links resolved.
 */
export function localIncludes(real: string): (path: string) => IncludedFiles {
  const top = workTree(real)
  const below = relative(top, real)
    .split(sep)
    .filter((part) => part !== '')
  const read = (path: string) => fileText(top, path)
  return (path) => ({ from: [...below, path].join('/'), read })
}

/** The git working tree that contains a folder; the folder itself if there is none. */
export function workTree(folder: string): string {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, '.git'))) return at
    if (dirname(at) === at) return folder
  }
}

/**
 * The text of a file; null if it is missing, must not be included, or is not text. With `isHidden`
 * it may lie in a hidden folder.
 */
export async function fileText(
  top: string,
  path: string,
  { isHidden = false } = {},
): Promise<string | null> {
  if (!isHidden && path.split('/').some((part) => part.startsWith('.'))) return null
  const real = await realpath(join(top, path)).catch(() => null)
  if (
    real === null ||
    (isHidden ? relative(top, real).split(sep).join('/') !== path : isOutside(relative(top, real)))
  ) {
    return null
  }
  const stats = await stat(real).catch(() => null)
  if (!stats?.isFile() || tooLarge(stats.size)) return null
  return readFile(real)
    .then((bytes) => decodeText(bytes, path))
    .catch(() => null)
}

/** Whether a resolved path is outside the top folder or hidden. `..` begins with a dot too. */
function isOutside(path: string): boolean {
  return path.split(sep).some((part) => part.startsWith('.')) || path.startsWith(sep)
}
