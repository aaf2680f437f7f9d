import { lstatSync, readdirSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { isAbsolute, join, resolve } from 'node:path'
import type { SourcesPlaces } from '../library/sources/source-list.ts'
import { OgError, messageOf } from '../platform/error.ts'

type Base = 'config' | 'data' | 'cache'

const bases = {
  config: { variable: 'XDG_CONFIG_HOME', underHome: '.config' },
  data: { variable: 'XDG_DATA_HOME', underHome: join('.local', 'share') },
  cache: { variable: 'XDG_CACHE_HOME', underHome: '.cache' },
} as const

export type Home = { folder: string; why: string; isOriginal: boolean }

/** og recognizes its own folder by these entries. A folder without any of them is not in use. */
const ownEntries: Readonly<Record<Base, readonly string[]>> = {
  config: ['config.json', 'sources.json', 'registries.json', 'trusted.json'],
  data: ['index', 'memory', 'raw_data', 'stats.json'],
  cache: ['natives', 'models', 'stores', 'cache'],
}

/**
 * Chooses the folder for settings, data or the cache: `og` if it is in use, else `openground` if it
 * exists, else `og`. A killed process may leave an empty `og`, which must not hide the data in
 * `openground`.
 */
export function findHome(base: Base, env: Environment, platform = process.platform): Home {
  const parent = baseFolder(base, env, platform)
  const [own, original] = [join(parent, 'og'), join(parent, 'openground')]
  const entry = ownEntries[base].find((name) => hasContent(join(own, name)))
  if (entry !== undefined) return { folder: own, why: `it has ${entry}`, isOriginal: false }
  const originals = base === 'config' ? [original, ...underHome(env, '.openground')] : [original]
  const oldFolder = originals.find(exists)
  if (oldFolder !== undefined) {
    const why = `${oldFolder === original ? 'it' : oldFolder} exists, and ${own} is not in use`
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

/** The user's paths. A function throws if it needs a home folder and there is none. */
export type UserPaths = ReturnType<typeof userPaths>

export function userPaths(env: Environment, platform = process.platform) {
  const home = (base: Base) => findHome(base, env, platform)
  const inHome = (base: Base, name: string) => join(home(base).folder, name)
  return {
    configFile: () => inHome('config', 'config.json'),
    /** Returns the folder of sources.json, registries.json and trusted.json. */
    lists() {
      const { folder, isOriginal } = home('config')
      return isOriginal ? join(userHome(env), '.openground') : folder
    },
    /** The default folder of the store. In openground's folder, it is next to `lancedb`. */
    store: () => inHome('data', home('data').isOriginal ? 'og' : 'index'),
    stats: () => inHome('data', 'stats.json'),
    /** The default folder of raw pages. */
    rawPages: () => inHome('data', 'raw_data'),
    /** Returns the folder for native libraries, models and other downloads. */
    cache() {
      if (env.OG_CACHE_DIR) return expandPath(env.OG_CACHE_DIR, env)
      const { folder, isOriginal } = home('cache')
      if (platform === 'win32') return join(folder, isOriginal ? 'og-cache' : 'cache')
      return isOriginal ? join(folder, 'og') : folder
    },
    /**
     * Folders that upstream may have written as default `db_path`. Upstream stores the absolute
     * path of its first run, when XDG_DATA_HOME may have been different.
     */
    upstreamStores: () =>
      [env, { ...env, XDG_DATA_HOME: '' }].map((it) =>
        join(baseFolder('data', it, platform), 'openground', 'lancedb'),
      ),
    expand: (path: string) => expandPath(path, env),
  }
}

export function sourcesPlaces(env: Environment, file: string | null): SourcesPlaces {
  return { file, cwd: process.cwd(), home: userHome(env), lists: userPaths(env).lists() }
}

/** Returns the path in the home folder; empty if there is no home folder. */
function underHome(env: Environment, name: string): string[] {
  try {
    return [join(userHome(env), name)]
  } catch {
    return []
  }
}

/**
 * True if a path is a file or a folder that is not empty. Also true for an unreadable folder and a
 * dangling link, such as a disk that is not mounted. og then reports the error, whereas another
 * folder would look like an empty store.
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

function baseFolder(base: Base, env: Environment, platform: NodeJS.Platform): string {
  const { variable, underHome } = bases[base]
  return xdg(env, variable) ?? homeFolder(env, platform, underHome)
}

export function expandPath(path: string, env: Environment): string {
  if (path === '~') return userHome(env)
  if (/^~[\\/]/.test(path)) return join(userHome(env), path.slice(2))
  return resolve(path)
}

/** Reads an XDG variable. Ignores relative paths, as XDG requires. */
function xdg(env: Environment, name: string): string | null {
  const value = env[name]
  return value && isAbsolute(value) ? value : null
}

function homeFolder(env: Environment, platform: NodeJS.Platform, underHome: string): string {
  if (platform !== 'win32') return join(userHome(env), underHome)
  return env.LOCALAPPDATA || join(userHome(env), 'AppData', 'Local')
}

export function userHome(env: Environment): string {
  const home = env.HOME || env.USERPROFILE
  if (home && isAbsolute(home)) return home
  try {
    const home = homedir()
    if (isAbsolute(home)) return home
    throw new Error(`the system answers "${home}"`)
  } catch (error) {
    throw new OgError(`Cannot find your home folder: HOME is not set; ${messageOf(error)}`, {
      hint: 'set HOME, or XDG_CONFIG_HOME, XDG_DATA_HOME and XDG_CACHE_HOME',
      cause: error,
    })
  }
}

/** Environment variables. An empty value counts as unset. */
export type Environment = Readonly<Record<string, string | undefined>>
