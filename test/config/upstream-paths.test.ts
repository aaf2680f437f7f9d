import { expect, test } from 'bun:test'
import { defaultRawPages, statsFile, upstreamStores } from '../../src/config/upstream-paths.ts'

test('returns the folders that openground uses', () => {
  const home = '/h/.local/share/openground'
  const check = (env: Record<string, string>, folder: string) =>
    expect([statsFile(env, 'linux'), defaultRawPages(env, 'linux')]).toEqual([
      `${folder}/stats.json`,
      `${folder}/raw_data`,
    ])
  check({ HOME: '/h' }, home)
  check({ HOME: '/h', XDG_DATA_HOME: '/d' }, '/d/openground')
  expect(upstreamStores({ HOME: '/h', XDG_DATA_HOME: '/d' }, 'linux')).toEqual([
    '/d/openground/lancedb',
    `${home}/lancedb`,
  ])
})
