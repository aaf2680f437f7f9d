import { expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { checkFolders, checkSettings } from '../../../../src/cli/commands/system/doctor.ts'
import { userPaths } from '../../../../src/config/paths.ts'
import { createTempFolder } from '../../../../src/platform/file/files.ts'

async function check(content: string | null, expected: { ok: boolean; detail: string }) {
  await using temp = await createTempFolder('og-settings')
  const env = { HOME: temp.path, OG_QUERY__TOP_K: '7' }
  const path = userPaths(env).configFile()
  mkdirSync(dirname(path), { recursive: true })
  if (content !== null) writeFileSync(path, content)
  const found = await checkSettings(env)
  const detail = expect.stringContaining(expected.detail)
  expect(found.check).toMatchObject({ name: 'settings', ok: expected.ok, detail })
  return found.config
}

test('names the file and the origin of each setting', async () => {
  await check(null, { ok: true, detail: 'config.json (not there); set: query.top_k (OG_QUERY' })
  const file = '{"embeddings":{"chunk_size":900}}'
  const config = await check(file, { ok: true, detail: 'config.json; set: embeddings.chunk_size,' })
  expect([config.embeddings.chunkSize, config.query.topK]).toEqual([900, 7])
})

test('reports invalid values and uses defaults instead', async () => {
  const { embeddings, query } = await check('{"embeddings":{"chunk_size":"many"}}', {
    ok: false,
    detail: 'Cannot use "many" for embeddings.chunk_size',
  })
  expect([embeddings.chunkSize, query.topK]).toEqual([null, 7])
  await check('not JSON', { ok: false, detail: 'it is not valid JSON' })
  const overlapping = await check('{"embeddings":{"chunk_size":500,"chunk_overlap":500}}', {
    ok: false,
    detail: 'must be less than embeddings.chunk_size, which is 500',
  })
  expect(overlapping.embeddings.chunkOverlap).toBeNull()
})

test('reports every folder with the rule or the setting that chose it', async () => {
  await using temp = await createTempFolder('og-folders')
  const check = async (more: Record<string, string>, expected: string[]) => {
    const env = { HOME: temp.path, ...more }
    const { config } = await checkSettings(env)
    const checks = await checkFolders(config, env)
    const lines = checks.map(({ name, detail }) => `${name}: ${detail.replaceAll(temp.path, '~')}`)
    expect(lines).toEqual(expected)
    expect(checks.every(({ ok }) => ok)).toBe(true)
  }
  mkdirSync(join(temp.path, '.openground'))
  await check({}, [
    'config folder: ~/.config/openground (~/.openground exists, and ~/.config/og is not in ' +
      'use); sources and registries in ~/.openground',
    'data folder: ~/.local/share/og (there is no ~/.local/share/openground)',
    'index: ~/.local/share/og/index (in the data folder)',
    'raw pages: ~/.local/share/og/raw_data (in the data folder)',
    'memory: ~/.local/share/og/memory (in the data folder)',
    'cache: ~/.cache/og (there is no ~/.cache/openground)',
  ])
  mkdirSync(join(temp.path, '.groundmemory'))
  const set = {
    XDG_CONFIG_HOME: '/c',
    OG_DB_PATH: '/index',
    OG_CACHE_DIR: '/cache',
    OG_RAW_DATA_DIR: '/raw',
    GROUNDMEMORY_ROOT_DIR: '/notes',
  }
  await check(set, [
    'config folder: /c/openground (~/.openground exists, and /c/og is not in use); ' +
      'sources and registries in ~/.openground',
    'data folder: ~/.local/share/og (there is no ~/.local/share/openground)',
    'index: /index (set by OG_DB_PATH)',
    'raw pages: /raw (set by OG_RAW_DATA_DIR)',
    'memory: /notes (set by GROUNDMEMORY_ROOT_DIR)',
    'cache: /cache (set by OG_CACHE_DIR)',
  ])
})
