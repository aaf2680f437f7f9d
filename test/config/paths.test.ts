import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { configFile, defaultCache, defaultStore, expandPath } from '../../src/config/paths.ts'

type Expected = { config: string; store: string; cache: string }

function check(env: Record<string, string>, platform: NodeJS.Platform, expected: Expected): void {
  expect({
    config: configFile(env, platform),
    store: defaultStore(env, platform),
    cache: defaultCache(env, platform),
  }).toEqual(expected)
}

const posix = {
  config: '/h/.config/openground/config.json',
  store: '/h/.local/share/openground/og',
  cache: '/h/.cache/openground/og',
}

test('uses the standard folders of each system, and keeps no cache in the temporary folder (W-55)', () => {
  check({ HOME: '/h' }, 'linux', posix)
  check({ HOME: '/h' }, 'darwin', posix)
  check({ HOME: '/h', LOCALAPPDATA: '/l' }, 'win32', {
    config: '/l/openground/config.json',
    store: '/l/openground/og',
    cache: '/l/openground/og-cache',
  })
  expect(defaultStore({ USERPROFILE: '/u' }, 'win32')).toBe('/u/AppData/Local/openground/og')
})

test('accepts only absolute XDG folders', () => {
  const xdg = { XDG_CONFIG_HOME: '/c', XDG_DATA_HOME: '/d', XDG_CACHE_HOME: '/k' }
  check(xdg, 'linux', {
    config: '/c/openground/config.json',
    store: '/d/openground/og',
    cache: '/k/openground/og',
  })
  const odd = { HOME: '/h', XDG_CONFIG_HOME: 'c', XDG_DATA_HOME: '', XDG_CACHE_HOME: './k' }
  check(odd, 'linux', posix)
})

test('expands ~ only at the start of a path', () => {
  const env = { HOME: '/h' }
  expect(expandPath('~', env)).toBe('/h')
  expect(expandPath('~/a b', env)).toBe('/h/a b')
  expect(expandPath('/x/~/../y/', env)).toBe('/x/y')
  expect(expandPath('~a', env)).toBe(join(process.cwd(), '~a'))
})

test('asks the system for the home folder if HOME is not set', () => {
  expect(defaultStore({}, 'linux')).toMatch(/^\/.*\/openground\/og$/)
})
