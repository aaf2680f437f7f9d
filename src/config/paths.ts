import { homedir } from 'node:os'
import { isAbsolute, join, resolve } from 'node:path'
import { OgError, messageOf } from '../platform/error.ts'
import type { Environment } from './load.ts'

export type Base = 'config' | 'data' | 'cache'

const bases = {
  config: { variable: 'XDG_CONFIG_HOME', underHome: '.config' },
  data: { variable: 'XDG_DATA_HOME', underHome: join('.local', 'share') },
  cache: { variable: 'XDG_CACHE_HOME', underHome: '.cache' },
} as const

export function baseFolder(base: Base, env: Environment, platform: NodeJS.Platform): string {
  const { variable, underHome } = bases[base]
  return xdg(env, variable) ?? homeFolder(env, platform, underHome)
}

export function expandPath(path: string, env: Environment): string {
  if (path === '~') return userHome(env)
  if (/^~[\\/]/.test(path)) return join(userHome(env), path.slice(2))
  return resolve(path)
}

/**
 * Reads an XDG variable. Ignores relative paths, as XDG demands, because they would depend on the
 * working folder.
 */
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
