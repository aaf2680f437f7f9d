import { existsSync, type BigIntStats } from 'node:fs'
import { readFile, realpath, stat, readdir } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { decodeText } from '../formats/decode.ts'
import { sha256 } from '../platform/hash.ts'
import { listingOf, isConfigFolder, configsBelow } from './folders.ts'
import { reliableStamp } from './file-validator.ts'
import { tooLargeReason, isExcludedFolder } from './select/select.ts'
import { siteConfigsAt } from '../sites/generators.ts'
import type { IncludedFiles } from '../references/include.ts'

export type LocalIncludes = {
  of(path: string): IncludedFiles
  /**
   * Returns a hash of the files' states before they were read, including missing ones. Returns null
   * if a file changed so recently that it may change again without a new state.
   */
  stateOf(paths: readonly string[]): Promise<string | null>
}

/**
 * The files that a folder's pages may include: the files of its git working tree or, without one,
 * of the folder itself. Excludes hidden files and links that point outside. `real` is the folder's
 * path with links resolved. Each file is examined once, before its first use.
 */
export function localIncludes(real: string): LocalIncludes {
  const top = workTree(real)
  const below = relative(top, real)
    .split(sep)
    .filter((part) => part !== '')
  const stamps = new Map<string, Promise<string>>()
  let files: Promise<string[]> | null = null
  const listing = async (path: string) => listingOf(path, await (files ??= filesBelow(top))) ?? null
  const stampOf = (path: string) => stamps.getOrInsertComputed(path, () => includedStamp(top, path))
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
  const file = await includedFile(top, path)
  return file === null ? '' : (reliableStamp(file.stats) ?? racyStamp)
}

const racyStamp = '-'
const folderStamp = '/'

/** Returns the git working tree that contains a folder, or the folder itself if there is none. */
export function workTree(folder: string): string {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, '.git'))) return at
    if (dirname(at) === at) return folder
  }
}

/**
 * Returns a file's text, or null if it is missing, must not be included, or is not text. With
 * `isHidden`, the file may be in a hidden folder.
 */
export async function fileText(
  top: string,
  path: string,
  options: { isHidden?: boolean } = {},
): Promise<string | null> {
  const file = await includedFile(top, path, options)
  if (file === null) return null
  return readFile(file.real)
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

/**
 * Returns the paths of files above a folder that may configure its pages' site. Searches the
 * ancestors of the folder and their other subfolders. `below` and the returned paths are relative
 * to the working tree.
 */
export async function configsAbove(top: string, below: string): Promise<string[]> {
  if (below === '') return []
  const parts = below.split('/')
  const configs: string[] = []
  const budget = { left: folderLimit }
  for (let depth = parts.length - 1; depth >= 0; depth--) {
    const folder = parts.slice(0, depth).join('/')
    const beside = await configsIn(top, folder, budget)
    configs.push(...beside.configs)
    for (const other of beside.folders) {
      if (other === parts.slice(0, depth + 1).join('/')) continue
      configs.push(...(await configsIn(top, other, budget)).configs)
    }
  }
  return configs
}

/** Maximum number of folders that are listed to find configuration files. */
const folderLimit = 300

async function configsIn(
  top: string,
  folder: string,
  budget: { left: number },
): Promise<{ configs: string[]; folders: string[] }> {
  const listed: { configs: string[]; folders: string[] } = { configs: [], folders: [] }
  if (budget.left-- <= 0) return listed
  const entries = await readdir(join(top, folder), { withFileTypes: true }).catch(() => [])
  for (const entry of entries) {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`
    if (entry.isFile() && siteConfigsAt(path).length > 0) listed.configs.push(path)
    if (!entry.isDirectory()) continue
    if (isConfigFolder(entry.name)) {
      listed.configs.push(...(await configsBelow(join(top, path), path)))
    } else if (!isExcludedFolder(entry.name)) listed.folders.push(path)
  }
  return listed
}

/** Returns the paths of the files below a folder on disk, in at most 20,000 folders. */
export async function filesBelow(top: string): Promise<string[]> {
  const folders = ['']
  const files: string[] = []
  for (let at = 0; at < Math.min(folders.length, 20_000); at++) {
    const folder = folders[at]!
    const entries = await readdir(join(top, folder), { withFileTypes: true }).catch(() => [])
    for (const entry of entries) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`
      if (entry.isFile()) files.push(path)
      else if (entry.isDirectory() && !isExcludedFolder(entry.name)) folders.push(path)
    }
  }
  return files
}
