import { existsSync, type BigIntStats } from 'node:fs'
import { readFile, realpath, stat } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { decodeText } from '../page/decode.ts'
import type { IncludedFiles } from '../page/include/include-file.ts'
import { sha256 } from '../platform/hash.ts'
import { listingOf } from './folders.ts'
import { filesBelow } from './local-configs.ts'
import { reliableStamp } from './file-validator.ts'
import { tooLargeReason } from './select/select.ts'

export type LocalIncludes = {
  of(path: string): IncludedFiles
  /**
   * Hash of the states of the files before they were read, including missing ones. Null if one of
   * them changed so recently that it may change again without a new state.
   */
  stateOf(paths: readonly string[]): Promise<string | null>
}

/**
 * The files that the pages of a folder may include: the files of its git working tree, or of the
 * folder itself if it has none. Excludes hidden files and links that point outside. `real` is the
 * folder's path with links resolved. Each file is examined once, before its first use.
 */
export function localIncludes(real: string): LocalIncludes {
  const top = workTree(real)
  const below = relative(top, real)
    .split(sep)
    .filter((part) => part !== '')
  const stamps = new Map<string, Promise<string>>()
  let files: Promise<string[]> | null = null
  const listing = async (path: string) => listingOf(path, await (files ??= filesBelow(top))) ?? null
  const stampOf = (path: string) => {
    let stamp = stamps.get(path)
    if (stamp === undefined) stamps.set(path, (stamp = includedStamp(top, path)))
    return stamp
  }
  const read = async (path: string) => {
    if (isListing(path)) return listing(path)
    const stamp = await stampOf(path)
    if (path.endsWith('/')) return stamp === '' ? null : ''
    return stamp === '' ? null : fileText(top, path)
  }
  const stateOne = async (path: string) =>
    isListing(path) ? sha256((await listing(path)) ?? '') : stampOf(path)
  return {
    of: (path) => ({ from: [...below, path].join('/'), read }),
    async stateOf(paths) {
      const states = await Promise.all(paths.map(stateOne))
      return states.includes(racyStamp) ? null : sha256(states.join('\n'))
    },
  }
}

function isListing(path: string): boolean {
  return listingOf(path, []) !== undefined
}

async function includedStamp(top: string, path: string): Promise<string> {
  if (path.endsWith('/')) return (await isFolder(top, path)) ? folderStamp : ''
  const found = await includedFile(top, path)
  return found === null ? '' : (reliableStamp(found.stats) ?? racyStamp)
}

const racyStamp = '-'
const folderStamp = '/'

/** The git working tree that contains a folder; the folder itself if there is none. */
export function workTree(folder: string): string {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, '.git'))) return at
    if (dirname(at) === at) return folder
  }
}

/**
 * The text of a file; null if it is missing, must not be included, or is not text. With `isHidden`,
 * the file may be in a hidden folder.
 */
export async function fileText(
  top: string,
  path: string,
  options: { isHidden?: boolean } = {},
): Promise<string | null> {
  const found = await includedFile(top, path, options)
  if (found === null) return null
  return readFile(found.real)
    .then((bytes) => decodeText(bytes, path))
    .catch(() => null)
}

async function isFolder(top: string, path: string): Promise<boolean> {
  if (path.split('/').some((part) => part.startsWith('.'))) return false
  const real = await realpath(join(top, path)).catch(() => null)
  if (real === null || isOutside(relative(top, real))) return false
  return (await stat(real).catch(() => null))?.isDirectory() ?? false
}

async function includedFile(
  top: string,
  path: string,
  { isHidden = false } = {},
): Promise<{ real: string; stats: BigIntStats } | null> {
  if (!isHidden && path.split('/').some((part) => part.startsWith('.'))) return null
  const real = await realpath(join(top, path)).catch(() => null)
  if (
    real === null ||
    (isHidden ? relative(top, real).split(sep).join('/') !== path : isOutside(relative(top, real)))
  ) {
    return null
  }
  const stats = await stat(real, { bigint: true }).catch(() => null)
  return stats?.isFile() && !tooLargeReason(Number(stats.size)) ? { real, stats } : null
}

function isOutside(path: string): boolean {
  return path.split(sep).some((part) => part.startsWith('.')) || path.startsWith(sep)
}
