import { expect, test } from 'bun:test'
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadConfig } from '../../../src/config/load.ts'
import { openOg } from '../../../src/open.ts'
import type { Check } from '../../../src/platform/check.ts'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { startScript } from '../../support/child.ts'
import { disposeAfterAll } from '../../support/run/dispose.ts'

const temp = disposeAfterAll(await createTempFolder('og-doctor-test'))

async function examined(env: Record<string, string> = {}, offline = false): Promise<Check[]> {
  const none = { OG_EMBEDDINGS__EMBEDDING_BACKEND: 'none' }
  const config = await loadConfig({ HOME: temp.path, ...none, ...env })
  await using og = openOg(config, () => {})
  return (await og.doctor({ offline })).checks
}

/** Checks which checks fail, and a part of their messages. */
async function check(env: Record<string, string>, expected: [string, string][], offline = false) {
  const failing = (await examined(env, offline)).filter(({ ok }) => !ok)
  expect(failing.map(({ name, detail }) => [name, detail])).toEqual(
    expected.map(([name, detail]) => [name, expect.stringContaining(detail)]),
  )
}

const builtin = { OG_EMBEDDINGS__EMBEDDING_BACKEND: 'builtin' }
const openai = {
  OG_EMBEDDINGS__EMBEDDING_BACKEND: 'openai',
  OG_EMBEDDINGS__BASE_URL: 'http://name:secret@127.0.0.1:1/v1',
}

test('runs all checks in order, and creates no store', async () => {
  const checks = await examined()
  expect(checks.map(({ name, ok }) => `${name} ${ok}`)).toEqual([
    'executable true',
    'natives true',
    'kernels true',
    'LanceDB true',
    'model true',
    'tokenizer true',
    'store true',
    'made by these settings true',
    'unused data true',
    'writing true',
    'disk true',
  ])
  expect(existsSync(join(temp.path, '.local'))).toBe(false)
})

test('checks the built-in model with its golden embedding and an offline trial', async () => {
  const checks = await examined(builtin, true)
  expect(checks.filter(({ ok }) => !ok)).toEqual([])
  const detail = (wanted: string) => checks.find(({ name }) => name === wanted)?.detail
  expect(detail('model')).toMatch(/cosine (0\.999\d*|1\.0*) with the golden embedding/)
  expect(detail('network')).toContain('no setting needs it')
  expect(detail('trial without network')).toContain('3 chunks, 3 embeddings and answered')
  expect(detail('sockets')).toContain('no attempt to reach the network')
})

test('checks full-text search offline', () => check({}, [], true))

test('fails the checks that need the model if the model is unknown', async () => {
  const unknown = { ...builtin, OG_EMBEDDINGS__EMBEDDING_MODEL: 'org/other' }
  const message = 'Cannot use embedding model "org/other"'
  await check(unknown, [
    ['model', message],
    ['made by these settings', message],
  ])
})

test('reports a service that does not answer, and that it needs network access', async () => {
  await check(openai, [['model', '127.0.0.1:1']])
  const needs = 'embeddings.embedding_backend is openai: every add and query asks http://127.0.0.1'
  await check(openai, [['network', needs]], true)
  expect(JSON.stringify(await examined(openai))).not.toContain('secret')
})

test('reports an unreadable registry', async () => {
  const store = join(temp.path, 'broken')
  mkdirSync(store)
  writeFileSync(join(store, 'registry.json'), 'not JSON')
  await check({ OG_DB_PATH: store }, [['store', 'it is not JSON']])
})

test('reports that a store is read-only', async () => {
  const store = join(temp.path, 'read-only')
  mkdirSync(store)
  chmodSync(store, 0o500)
  const env = { HOME: temp.path, OG_DB_PATH: store, OG_EMBEDDINGS__EMBEDDING_BACKEND: 'none' }
  await using child = startScript('doctor.ts', [], { env, obeyModes: true })
  const checks = JSON.parse((await child.line())!) as Check[]
  expect(checks.filter(({ ok }) => !ok)).toEqual([])
  const detail = (wanted: string) => checks.find(({ name }) => name === wanted)?.detail
  expect(detail('writing')).toContain('is read-only: og query, get, list and mcp answer')
  expect(detail('disk')).toContain(`${store}: read-only`)
})

test('ONNX Runtime stores and sends no usage data', async () => {
  const home = join(temp.path, 'private')
  mkdirSync(home)
  await using child = startScript('doctor.ts', [], { env: { HOME: home, CI: '', ...builtin } })
  const model = (JSON.parse((await child.line())!) as Check[]).find(({ name }) => name === 'model')
  expect(model?.ok).toBe(true)
  expect(existsSync(join(home, '.cache', 'Microsoft'))).toBe(false)
})
