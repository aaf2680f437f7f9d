import { expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  loadConfig,
  loadSettings,
  type Overrides,
  shortVariables,
  unknownVariables,
  settingVariable,
  variables,
} from '../../src/config/load.ts'
import { homePaths } from '../support/run/home-paths.ts'
import { settings } from '../../src/config/setting.ts'

type World = { file?: unknown; env?: Record<string, string>; flags?: Overrides }

/**
 * Loads settings in a home folder with this config.json; `{HOME}` in values is replaced by the path
 * of the folder.
 */
async function inHome<T>(world: World, use: (home: string, load: Load) => Promise<T>): Promise<T> {
  const home = mkdtempSync(join(tmpdir(), 'og-config-'))
  const placed = (text: string) => text.replaceAll('{HOME}', home)
  mkdirSync(join(home, '.config/og'), { recursive: true })
  const { file } = world
  const text = typeof file === 'string' ? file : JSON.stringify(file)
  if (file !== undefined) writeFileSync(join(home, homePaths.settings), placed(text))
  const vars = Object.entries(world.env ?? {}).map(([name, value]) => [name, placed(value)])
  const env = { HOME: home, ...Object.fromEntries(vars) }
  try {
    return await use(home, { env, flags: world.flags ?? {} })
  } finally {
    rmSync(home, { recursive: true })
  }
}

type Load = { env: Record<string, string>; flags: Overrides }

async function check(world: World, expected: object): Promise<void> {
  await inHome(world, async (home, { env, flags }) => {
    const config = JSON.stringify(await loadConfig(env, flags)).replaceAll(home, '{HOME}')
    expect(JSON.parse(config)).toMatchObject(expected)
  })
}

async function checkError(world: World, message: RegExp): Promise<void> {
  await inHome(world, async (_, { env, flags }) => {
    await expect(loadConfig(env, flags)).rejects.toThrow(message)
  })
}

test('uses the defaults without a config file', async () => {
  await check(
    {},
    {
      dbPath: `{HOME}/${homePaths.store}`,
      isStoreNamed: false,
      cachePath: `{HOME}/${homePaths.cache}`,
      modelDir: null,
      extraction: { concurrencyLimit: 8 },
      embeddings: {
        backend: 'builtin',
        model: 'BAAI/bge-small-en-v1.5',
        dimensions: 384,
        batchSize: 32,
        chunkSize: null,
        chunkOverlap: null,
        baseUrl: null,
        apiKey: null,
      },
      query: { topK: 5 },
      sources: { autoAddLocal: true, filePath: null },
    },
  )
})

const written = {
  db_path: '{HOME}/.local/share/openground/lancedb',
  table_name: 'documents',
  raw_data_dir: '{HOME}/.local/share/openground/raw_data',
  extraction: { concurrency_limit: 50 },
  embeddings: {
    batch_size: 32,
    chunk_size: 800,
    chunk_overlap: 200,
    embedding_model: 'BAAI/bge-small-en-v1.5',
    embedding_dimensions: 384,
    embedding_backend: 'fastembed',
  },
  query: { top_k: 5 },
  sources: { auto_add_local: true },
}

test('ignores values that openground wrote by itself', async () => {
  await check(
    { file: written },
    {
      dbPath: `{HOME}/${homePaths.store}`,
      isStoreNamed: false,
      extraction: { concurrencyLimit: 8 },
      embeddings: { backend: 'builtin', chunkSize: null, chunkOverlap: null },
    },
  )
  await check(
    { file: written, env: { XDG_DATA_HOME: '{HOME}/data' } },
    { dbPath: '{HOME}/data/og/index' },
  )
  await check({ env: { OG_EMBEDDINGS__CHUNK_SIZE: '800' } }, { embeddings: { chunkSize: 800 } })
})

test("applies the user's values, but never uses openground's tables", async () => {
  await check(
    {
      file: {
        db_path: '~/my/db/',
        embeddings: { chunk_size: 600, chunk_overlap: 50, model_dir: '~/m' },
        sources: { auto_add_local: false, file_path: '/s.json' },
        unknown: { key: 1 },
      },
    },
    {
      dbPath: '{HOME}/my/db/og',
      isStoreNamed: true,
      modelDir: '{HOME}/m',
      embeddings: { chunkSize: 600, chunkOverlap: 50 },
      sources: { autoAddLocal: false, filePath: '/s.json' },
    },
  )
})

test('flags override the environment, which overrides config.json', async () => {
  const file = { query: { top_k: 6 }, db_path: '/x' }
  await check({ file }, { query: { topK: 6 } })
  const env = { OG_QUERY__TOP_K: '7', OG_DB_PATH: '{HOME}/here', OG_CACHE_DIR: '~/cache' }
  const paths = { dbPath: '{HOME}/here', cachePath: '{HOME}/cache' }
  await check({ file, env }, { query: { topK: 7 }, ...paths })
  await check({ file, env, flags: { 'query.top_k': 8 } }, { query: { topK: 8 } })
  await check({ file, env, flags: { 'query.top_k': null } }, { query: { topK: 7 } })
  await check({ file, env: { OG_QUERY__TOP_K: '' } }, { query: { topK: 6 } })
  await check({ env: { OG_MODEL_DIR: '/a' } }, { modelDir: '/a' })
  await check({ env: { OG_MODEL_DIR: '/a', OG_EMBEDDINGS__MODEL_DIR: '/b' } }, { modelDir: '/b' })
})

test('accepts every alias of a backend', async () => {
  const backends = { builtin: 'builtin', fastembed: 'builtin', 'sentence-transformers': 'builtin' }
  for (const [typed, backend] of Object.entries({ ...backends, openai: 'openai', none: 'none' })) {
    await check({ file: { embeddings: { embedding_backend: typed } } }, { embeddings: { backend } })
  }
})

test('treats an empty file as one without keys', async () => {
  const nulls = '{"embeddings": null, "query": {"top_k": null}}'
  for (const file of ['', '  \n', '{}', '\uFEFF{}', nulls]) {
    await check({ file }, { query: { topK: 5 } })
  }
})

test('error messages name the key, the value, its origin and the allowed values', async () => {
  await checkError(
    { file: { embeddings: { chunk_size: 'abc' } } },
    /^Cannot use "abc" for embeddings\.chunk_size \(from .*config\.json\): must be a whole number/,
  )
  await checkError(
    { env: { OG_EMBEDDINGS__EMBEDDING_BACKEND: 'gpu' } },
    /"gpu" .*\(from OG_EMBEDDINGS__EMBEDDING_BACKEND\): must be one of builtin, fastembed,/,
  )
  await checkError({ env: { OG_EMBEDDINGS__EMBEDDING_BACKEND: 'constructor' } }, /must be one of/)
  await checkError({ file: { query: { top_k: 1.5 } } }, /must be a whole number from 1 to 1000/)
  await checkError({ file: { sources: { auto_add_local: 'maybe' } } }, /must be true or false/)
  await checkError({ file: { db_path: 5 } }, /Cannot use 5 for db_path/)
  await checkError({ file: { embeddings: [] } }, /"embeddings" must be an object/)
  await checkError({ file: '{"a":' }, /config\.json": it is not valid JSON/)
  await checkError({ file: '[1]' }, /it is not a JSON object/)
  await checkError({ env: { OG_QUERY__TOPK: '3' } }, /OG_QUERY__TOPK: there is no such setting/)
  await checkError(
    { file: { embeddings: { chunk_size: 150, chunk_overlap: 150 } } },
    /chunk_overlap 150: it must be less than/,
  )
})

test('does not repeat a secret in an error', async () => {
  await inHome({ file: { embeddings: { api_key: ['sk-1'] } } }, async (_, { env }) => {
    const { problems } = await loadSettings(env)
    expect(problems.map((problem) => problem.message).join()).toMatch(/^Cannot use the value for/)
  })
})

test('creates no file or folder', async () => {
  await inHome({}, async (home, { env }) => {
    rmSync(join(home, '.config'), { recursive: true })
    await loadConfig(env)
    expect([...new Bun.Glob('**').scanSync({ cwd: home, dot: true, onlyFiles: false })]).toEqual([])
    mkdirSync(join(home, '.config'))
  })
})

test('derives an environment variable from each key', () => {
  expect(settingVariable('embeddings.chunk_size')).toBe('OG_EMBEDDINGS__CHUNK_SIZE')
  expect(settingVariable('db_path')).toBe('OG_DB_PATH')
  const names = settings.map(({ key }) => settingVariable(key))
  expect(new Set(names).size).toBe(names.length)
  const keys = settings.map(({ key }) => key)
  expect(Object.keys(shortVariables).filter((key) => !keys.includes(key))).toEqual([])
})

test('reports a misspelled setting and ignores other variables', () => {
  const env = { OG_QUERY__TOP_K: '1', OG_DEBUG: '1', OG_QUERY__TOPK: '1', __CF: '1', A__B: '1' }
  expect(unknownVariables(env)).toEqual(['OG_QUERY__TOPK'])
})

test('describes every variable that the source code reads', async () => {
  const keys = settings.map(({ key }) => settingVariable(key))
  const known = new Set([...variables.map(({ name }) => name), ...keys])
  const read = new Set<string>()
  for await (const path of new Bun.Glob('src/**/*.ts').scan(`${import.meta.dir}/../..`)) {
    const text = await Bun.file(`${import.meta.dir}/../../${path}`).text()
    for (const [name] of text.matchAll(/\bOG_[A-Z_]+\b/g)) read.add(name)
  }
  const internal = ['OG_ONNXRUNTIME_BINDING', 'OG_RESTARTED']
  expect([...read].filter((name) => !known.has(name) && !internal.includes(name))).toEqual([])
})
