import { expect, test } from 'bun:test'
import { chmodSync, existsSync, mkdirSync, writeFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadConfig } from '../../../src/config/load.ts'
import { openOg } from '../../../src/open.ts'
import type { Check } from '../../../src/platform/check.ts'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { startScript } from '../../support/child.ts'
import { disposeAfterAll } from '../../support/run/dispose.ts'
import { sha256 } from '../../../src/platform/hash.ts'
import { checkNatives, repairNatives } from '../../../src/library/doctor/doctor.ts'
import type { Natives } from '../../../src/platform/native/load.ts'
import { rewriteUnnoticed } from '../../support/unnoticed.ts'

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
  expect(detail('writing')).toContain('is read-only: og query, get, list and mcp work')
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

test('detects and repairs a changed byte', async () => {
  await using temp = await createTempFolder('og-mend')
  const content = Buffer.from('the bytes of an addon')
  const stored = join(temp.path, 'stored')
  writeFileSync(stored, content)
  const file = { path: stored, sizeBytes: content.length, sha256: sha256(content) }
  const files = ['one.node', 'two.node'].map((name) => ({ ...file, name, parts: null }))
  const embedded = { hash: 'h1', files }
  const root = join(temp.path, 'natives')
  const folder = join(root, 'h1')
  expect(await repairNatives(embedded, root)).toEqual({ folder, repaired: [] })

  const path = join(folder, 'two.node')
  chmodSync(path, 0o600)
  rewriteUnnoticed(path, content.toString().replace('addon', 'ADDON'))
  expect(await repairNatives(embedded, root)).toEqual({ folder, repaired: ['two.node'] })
  expect(readFileSync(path)).toEqual(content)
  expect(await repairNatives(embedded, root)).toEqual({ folder, repaired: [] })
})

test('reports a missing package when run from source', async () => {
  const paths = { folder: null, kernels: null, model: null, encoder: null, tokenizer: null }
  const here = import.meta.path
  const found = ({ lancedb, onnxruntime }: Record<'lancedb' | 'onnxruntime', string>): Natives => ({
    ...paths,
    lancedb,
    onnxruntime: async () => onnxruntime,
  })
  const check = async (natives: { lancedb: string; onnxruntime: string }, expected: object) =>
    expect(await checkNatives('', async () => found(natives))).toMatchObject(expected)
  await check({ lancedb: here, onnxruntime: here }, { ok: true })
  const missing = { ok: false, detail: 'missing: /no/addon', hint: 'run npm ci' }
  await check({ lancedb: here, onnxruntime: '/no/addon' }, missing)
})
