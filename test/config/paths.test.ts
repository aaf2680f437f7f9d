import { expect, test } from 'bun:test'
import { mkdirSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import {
  expandPath,
  findHome,
  findMemoryHome,
  userHome,
  userPaths,
} from '../../src/config/paths.ts'
import { createTempFolder } from '../../src/platform/file/files.ts'
import { homePaths } from '../support/run/home-paths.ts'
import { openEach } from '../support/run/dispose.ts'

const temp = openEach(() => createTempFolder('og-homes'))

/** Creates files below the home folder, or empty folders if the path ends with `/`. */
function create(...paths: string[]): void {
  for (const path of paths) {
    const whole = join(temp().path, path)
    mkdirSync(path.endsWith('/') ? whole : dirname(whole), { recursive: true })
    if (!path.endsWith('/')) writeFileSync(whole, '{}')
  }
}

/** Returns all paths, relative to the home folder. */
function paths(platform: NodeJS.Platform = 'linux', more: Record<string, string> = {}) {
  const env = { HOME: temp().path, LOCALAPPDATA: join(temp().path, 'local'), ...more }
  const own = userPaths(env, platform)
  const found = {
    settings: own.configFile(),
    sources: join(own.lists(), 'sources.json'),
    data: findHome('data', env, platform).folder,
    store: own.store(),
    rawPages: own.rawPages(),
    stats: own.stats(),
    memory: findMemoryHome(env, platform).folder,
    cache: own.cache(),
  }
  const below = Object.entries(found).map(([name, path]) => [
    name,
    path.slice(temp().path.length + 1),
  ])
  return Object.fromEntries(below) as Record<keyof typeof found, string>
}

const ownPaths = { ...homePaths, stats: '.local/share/og/stats.json' }
const originalData = {
  data: '.local/share/openground',
  store: '.local/share/openground/og',
  rawPages: '.local/share/openground/raw_data',
  stats: '.local/share/openground/stats.json',
}
const originalConfig = {
  settings: '.config/openground/config.json',
  sources: '.openground/sources.json',
}

test('keeps everything of a new user in folders named og (W-55)', () => {
  expect(paths('linux')).toEqual(ownPaths)
  expect(paths('darwin')).toEqual(ownPaths)
  expect(paths('win32')).toEqual({
    settings: 'local/og/config.json',
    sources: 'local/og/sources.json',
    data: 'local/og',
    store: 'local/og/index',
    rawPages: 'local/og/raw_data',
    stats: 'local/og/stats.json',
    memory: 'local/og/memory',
    cache: 'local/og/cache',
  })
  expect(paths('win32', { LOCALAPPDATA: '' }).store).toBe('AppData/Local/og/index')
})

test('accepts only absolute XDG folders', () => {
  const xdg = {
    XDG_CONFIG_HOME: join(temp().path, 'c'),
    XDG_DATA_HOME: join(temp().path, 'd'),
    XDG_CACHE_HOME: join(temp().path, 'k'),
  }
  expect(paths('linux', xdg)).toEqual({
    settings: 'c/og/config.json',
    sources: 'c/og/sources.json',
    data: 'd/og',
    store: 'd/og/index',
    rawPages: 'd/og/raw_data',
    stats: 'd/og/stats.json',
    memory: 'd/og/memory',
    cache: 'k/og',
  })
  const odd = { XDG_CONFIG_HOME: 'c', XDG_DATA_HOME: '', XDG_CACHE_HOME: './k' }
  expect(paths('linux', odd)).toEqual(ownPaths)
})

test('uses the folders of an openground user', () => {
  create('.local/share/openground/lancedb/t', '.config/openground/config.json')
  expect(paths()).toEqual({
    ...originalData,
    ...originalConfig,
    memory: '.local/share/openground/memory',
    cache: '.cache/og',
  })
})

test('uses the folders of a user of both originals and of an earlier og', () => {
  create('.local/share/openground/og/registry.json', '.openground/sources.json')
  create('.groundmemory/default/MEMORY.md', '.cache/openground/og/natives/')
  const old = { memory: '.groundmemory', cache: '.cache/openground/og' }
  expect(paths()).toEqual({ ...originalData, ...originalConfig, ...old })
})

test('an original folder wins even if it is empty or its disk is not mounted', () => {
  create('.local/share/openground/', '.groundmemory/')
  symlinkSync(join(temp().path, 'not-mounted'), join(temp().path, '.openground'))
  const { store, memory, settings } = paths()
  expect([store, memory, settings]).toEqual([
    originalData.store,
    '.groundmemory',
    originalConfig.settings,
  ])
})

test('each of settings, data, cache and memory is chosen by itself', () => {
  create('.groundmemory/default/MEMORY.md')
  expect(paths()).toEqual({ ...ownPaths, memory: '.groundmemory' })
  create('.config/openground/config.json')
  expect(paths()).toEqual({ ...ownPaths, ...originalConfig, memory: '.groundmemory' })
})

test('an empty folder of og does not hide the original', () => {
  create('.local/share/openground/og/registry.json', '.openground/sources.json', '.groundmemory/')
  create('.local/share/og/index/', '.local/share/og/memory/', '.local/share/og/.DS_Store')
  create('.config/og/', '.cache/og/natives/', '.cache/openground/')
  const { stats: _stats, data: _data, rawPages: _raw, ...found } = paths()
  expect(found).toEqual({
    ...originalConfig,
    store: originalData.store,
    memory: '.groundmemory',
    cache: '.cache/openground/og',
  })
})

test.each(['index/registry.json', 'memory/default/MEMORY.md', 'raw_data/a/b.json', 'stats.json'])(
  "og's data folder wins once it has %s",
  (file) => {
    create('.local/share/openground/og/registry.json', `.local/share/og/${file}`)
    expect(paths().store).toBe(homePaths.store)
  },
)

test("og's other folders win once they are in use", () => {
  create('.openground/sources.json', '.config/openground/config.json', homePaths.sources)
  create('.cache/openground/og/natives/x', '.cache/og/models/x', '.groundmemory/default/a')
  expect(paths()).toEqual({ ...ownPaths, memory: '.groundmemory' })
  create(`${homePaths.memory}/default/MEMORY.md`)
  expect(paths()).toEqual(ownPaths)
})

test('settings, data and cache in one folder do not choose for each other', () => {
  const shared = join(temp().path, 'x')
  const xdg = { XDG_CONFIG_HOME: shared, XDG_DATA_HOME: shared, XDG_CACHE_HOME: shared }
  create('x/openground/lancedb/t', 'x/og/natives/a', 'x/og/config.json')
  const { cache, store, settings } = paths('linux', xdg)
  expect([cache, store, settings]).toEqual(['x/og', 'x/openground/og', 'x/og/config.json'])
  create('local/openground/og/registry.json', 'local/og/cache/natives/a')
  const windows = paths('win32')
  expect([windows.cache, windows.store]).toEqual(['local/og/cache', 'local/openground/og'])
})

test('a link to a missing folder counts as in use', () => {
  create('.local/share/openground/og/registry.json', '.local/share/og/')
  const link = join(temp().path, homePaths.store)
  symlinkSync(join(temp().path, 'not-mounted'), link)
  expect(paths().store).toBe(homePaths.store)
  unlinkSync(link)
  expect(paths().store).toBe(originalData.store)
})

test('says why', () => {
  const env = { HOME: temp().path }
  const why = () => findHome('data', env, 'linux').why.replaceAll(temp().path, '~')
  expect(why()).toBe('there is no ~/.local/share/openground')
  create('.local/share/openground/')
  expect(why()).toBe('it exists, and ~/.local/share/og is not in use')
  create('.local/share/og/stats.json')
  expect(why()).toBe('it has stats.json')
})

test('expands ~ only at the start of a path', () => {
  const env = { HOME: '/h' }
  expect(expandPath('~', env)).toBe('/h')
  expect(expandPath('~/a b', env)).toBe('/h/a b')
  expect(expandPath('/x/~/../y/', env)).toBe('/x/y')
  expect(expandPath('~a', env)).toBe(join(process.cwd(), '~a'))
})

test('asks the system for the home folder if HOME is not set', () => {
  expect(userHome({})).toMatch(/^\//)
  expect(findHome('data', {}, 'linux').folder).toMatch(/^\/.*\/\.local\/share\//)
})
