import { homedir } from 'node:os'
import { isAbsolute, join, resolve } from 'node:path'
import { OgError, messageOf } from '../platform/error.ts'
import type { Environment } from './env.ts'

/** Returns the path of config.json, which is also upstream's. */
export function configFile(env: Environment, platform = process.platform): string {
  const home = xdg(env, 'XDG_CONFIG_HOME') ?? homeFolder(env, platform, '.config')
  return join(home, 'openground', 'config.json')
}

/**
 * Returns the default folder of the store, which is next to upstream's `lancedb` and never inside
 * it.
 */
export function defaultStore(env: Environment, platform = process.platform): string {
  return join(dataHome(env, platform), 'openground', 'og')
}

/**
 * Returns the default cache folder, for native libraries, models and downloads; all of them can be
 * fetched again.
 */
export function defaultCache(env: Environment, platform = process.platform): string {
  const home = xdg(env, 'XDG_CACHE_HOME') ?? homeFolder(env, platform, '.cache')
  return join(home, 'openground', platform === 'win32' ? 'og-cache' : 'og')
}

/** Makes a path absolute; a leading `~` is the home folder. */
export function expandPath(path: string, env: Environment): string {
  if (path === '~') return userHome(env)
  if (/^~[\\/]/.test(path)) return join(userHome(env), path.slice(2))
  return resolve(path)
}

/** Returns the folder for application data, which contains upstream's folder and og's. */
export function dataHome(env: Environment, platform: NodeJS.Platform): string {
  return xdg(env, 'XDG_DATA_HOME') ?? homeFolder(env, platform, join('.local', 'share'))
}

/**
 * Reads an XDG variable. Relative paths are ignored, as XDG demands, because they would depend on
 * the working folder.
 */
function xdg(env: Environment, name: string): string | null {
  const value = env[name]
  return value && isAbsolute(value) ? value : null
}

function homeFolder(env: Environment, platform: NodeJS.Platform, underHome: string): string {
  if (platform !== 'win32') return join(userHome(env), underHome)
  return env.LOCALAPPDATA || join(userHome(env), 'AppData', 'Local')
}

/**
 * Returns the home folder of the user.
 * @throws OgError if neither the environment nor the system defines it
 */
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
