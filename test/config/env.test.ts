import { expect, test } from 'bun:test'
import {
  shortVariables,
  unknownVariables,
  settingVariable,
  variables,
} from '../../src/config/env.ts'
import { settings } from '../../src/config/setting.ts'

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
