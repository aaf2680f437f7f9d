import { lstatSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { SourcesPlaces } from '../library/sources/source-list.ts'
import type { Environment } from './load.ts'
import { baseFolder, userHome, type Base } from './paths.ts'

export type Home = { folder: string; why: string; isOriginal: boolean }

/** The entries by which og recognizes its own folder; a folder with none of them is not in use. */
const ownEntries: Readonly<Record<Base, readonly string[]>> = {
  config: ['config.json', 'sources.json', 'registries.json', 'trusted.json'],
  data: ['index', 'memory', 'raw_data', 'stats.json'],
  cache: ['natives', 'models', 'stores', 'cache'],
}

/**
 * Chooses the folder for settings, data or the cache: `og` if it is in use, else `openground` if it
 * exists, else `og`. An empty `og`, which a killed process may leave behind, never hides the data
 * in `openground`.
 */
export function findHome(base: Base, env: Environment, platform = process.platform): Home {
  const parent = baseFolder(base, env, platform)
  const [own, original] = [join(parent, 'og'), join(parent, 'openground')]
  const entry = ownEntries[base].find((name) => hasContent(join(own, name)))
  if (entry !== undefined) return { folder: own, why: `it has ${entry}`, isOriginal: false }
  const originals = base === 'config' ? [original, ...underHome(env, '.openground')] : [original]
  const found = originals.find(exists)
  if (found !== undefined) {
    const why = `${found === original ? 'it' : found} exists, and ${own} is not in use`
    return { folder: original, why, isOriginal: true }
  }
  return { folder: own, why: `there is no ${original}`, isOriginal: false }
}

/**
 * Chooses the root of memories: `memory` in the data folder if it is in use, else `~/.groundmemory`
 * if it exists, else `memory` in the data folder.
 */
export function findMemoryHome(env: Environment, platform = process.platform): Home {
  const folder = join(findHome('data', env, platform).folder, 'memory')
  if (hasContent(folder)) return { folder, why: 'it has memories', isOriginal: false }
  const original = underHome(env, '.groundmemory').find(exists)
  if (original !== undefined) {
    return { folder: original, why: `it exists, and ${folder} is not in use`, isOriginal: true }
  }
  return { folder, why: 'in the data folder', isOriginal: false }
}

export function configFile(env: Environment, platform = process.platform): string {
  return join(findHome('config', env, platform).folder, 'config.json')
}

/**
 * Returns the folder of sources.json, registries.json and trusted.json: the folder of config.json,
 * or `~/.openground` if config.json is in openground's folder.
 */
export function listsFolder(env: Environment, platform = process.platform): string {
  const { folder, isOriginal } = findHome('config', env, platform)
  return isOriginal ? join(userHome(env), '.openground') : folder
}

/** Returns the default folder of the store. In openground's folder, it is next to `lancedb`. */
export function defaultStore(env: Environment, platform = process.platform): string {
  const { folder, isOriginal } = findHome('data', env, platform)
  return join(folder, isOriginal ? 'og' : 'index')
}

/**
 * Returns the default cache folder, for native libraries, models and downloads; all of them can be
 * fetched again.
 */
export function defaultCache(env: Environment, platform = process.platform): string {
  const { folder, isOriginal } = findHome('cache', env, platform)
  if (platform === 'win32') return join(folder, isOriginal ? 'og-cache' : 'cache')
  return isOriginal ? join(folder, 'og') : folder
}

export function statsFile(env: Environment, platform = process.platform): string {
  return join(findHome('data', env, platform).folder, 'stats.json')
}

export function defaultRawPages(env: Environment, platform = process.platform): string {
  return join(findHome('data', env, platform).folder, 'raw_data')
}

export function sourcesPlaces(env: Environment, named: string | null): SourcesPlaces {
  return { named, cwd: process.cwd(), home: userHome(env), lists: listsFolder(env) }
}

/** Returns the path in the home folder; nothing if the user has no home folder. */
function underHome(env: Environment, name: string): string[] {
  try {
    return [join(userHome(env), name)]
  } catch {
    return []
  }
}

/**
 * True if a path is a file or a folder that is not empty. A folder that cannot be read counts, and
 * so does a link to a missing target, such as a disk that is not mounted: og then reports the
 * error, while a different folder would look like an empty store.
 */
function hasContent(path: string): boolean {
  if (!exists(path)) return false
  try {
    return !statSync(path).isDirectory() || readdirSync(path).length > 0
  } catch {
    return true
  }
}

function exists(path: string): boolean {
  try {
    lstatSync(path)
    return true
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return code !== 'ENOENT' && code !== 'ENOTDIR'
  }
}
