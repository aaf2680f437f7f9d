import { expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { checkFolders, checkSettings } from '../../src/config/check.ts'
import { configFile } from '../../src/config/paths.ts'
import { createTempFolder } from '../../src/platform/file/files.ts'

async function check(content: string | null, expected: { ok: boolean; detail: string }) {
  await using temp = await createTempFolder('og-settings')
  const env = { HOME: temp.path, OG_QUERY__TOP_K: '7' }
  const path = configFile(env)
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

test('reports every folder, including folders that variables choose', async () => {
  const env = {
    HOME: '/h',
    XDG_CONFIG_HOME: '/c',
    OG_DB_PATH: '/index',
    OG_CACHE_DIR: '/cache',
    OG_RAW_DATA_DIR: '/raw',
    GROUNDMEMORY_ROOT_DIR: '/notes',
  }
  const { config } = await checkSettings(env)
  expect(await checkFolders(config, env)).toEqual({
    name: 'folders',
    ok: true,
    detail:
      'settings /c/openground; index /index; raw pages /raw; ' +
      'sources and registries /h/.openground; memory /notes; cache /cache',
  })
})
