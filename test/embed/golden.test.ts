import { expect, test } from 'bun:test'
import {
  goldenText,
  checkTokenizer,
  cosineWithGolden,
  minInt8Cosine,
  checkModel,
  checkNetworkNeeds,
  type EmbedderToCheck,
} from '../../src/embed/golden.ts'
import { createTempFolder } from '../../src/platform/file/files.ts'
import { golden, modelFiles, builtinOptions } from '../support/native/golden.ts'
import { copyFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AcquiredModel } from '../../src/embed/acquire.ts'
import type { Embedder } from '../../src/embed/embedder.ts'
import { defaultModel, fingerprintOf } from '../../src/embed/models.ts'
import { openBuiltinEmbedder } from '../../src/embed/builtin.ts'
import { hashEmbedder } from '../support/hash-embedder.ts'

const reference = golden.find(({ text }) => text === goldenText)!

/** Returns the cosine for an embedder that always returns this embedding. */
function cosineOf(embedding: Float32Array): Promise<number> {
  return cosineWithGolden({ embed: async () => embedding, arithmetic: 'onnx-int8' })
}

test('accepts the reference embedding, and rejects other weights and lengths', async () => {
  expect(await cosineOf(reference.int8)).toBeGreaterThan(0.9998)
  expect(await cosineOf(reference.int8.map((x) => 3 * x))).toBeGreaterThan(0.9998)
  expect(await cosineOf(reference.fp32)).toBeLessThan(minInt8Cosine)
  expect(await cosineOf(reference.int8.subarray(1))).toBe(0)
  expect(await cosineOf(new Float32Array(384))).not.toBeGreaterThanOrEqual(minInt8Cosine)
})

test("accepts the model's tokenizer", () => {
  expect(checkTokenizer(modelFiles.tokenizer)).toMatchObject({
    ok: true,
    detail: expect.stringContaining(`its ${reference.nTokens} tokens`),
  })
})

test('rejects a tokenizer with another vocabulary', async () => {
  await using temp = await createTempFolder('og-golden')
  const path = `${temp.path}/tokenizer.json`
  const tokenizer = await Bun.file(modelFiles.tokenizer).json()
  const { vocab } = tokenizer.model
  ;[vocab.modern, vocab.web] = [vocab.web, vocab.modern]
  await Bun.write(path, JSON.stringify(tokenizer))
  expect(checkTokenizer(path)).toMatchObject({
    ok: false,
    detail: expect.stringContaining('other tokens'),
  })
})

const files: AcquiredModel = {
  modelPath: modelFiles.int8,
  encoderPath: null,
  tokenizerPath: modelFiles.tokenizer,
  origin: 'embedded',
}
const builtin: EmbedderToCheck = {
  backend: 'builtin',
  model: defaultModel.id,
  baseUrl: 'http://key@h.test/v1',
  find: async () => files,
  open: async () => openBuiltinEmbedder(await builtinOptions(modelFiles.int8)),
}

/** A detail that starts with "!" belongs to a failed check. */
async function check(subject: Partial<EmbedderToCheck>, detail: string, offline = false) {
  expect(await checkModel({ ...builtin, ...subject }, { offline })).toMatchObject({
    ok: detail[0] !== '!',
    detail: expect.stringContaining(detail.replace('!', '')),
  })
}

function opens(embedder: Embedder): Partial<EmbedderToCheck> {
  return { open: async () => embedder }
}

test('accepts a model that computes its golden embedding', async () => {
  await check({}, 'with the golden embedding')
})

test('accepts the bundled encoder without ONNX Runtime', async () => {
  const { encoder: encoderPath } = modelFiles
  const carried = { ...files, modelPath: null, encoderPath }
  const options = { ...(await builtinOptions('')), ...carried, bindingPath: null }
  const open = async () => openBuiltinEmbedder({ ...options, engine: 'auto' })
  await check({ find: async () => carried, open }, `${encoderPath}), sha256 as pinned`)
})

test('rejects an embedder that computes other numbers', async () => {
  const { dimensions } = fingerprintOf(defaultModel)
  await check(opens(hashEmbedder({ fingerprint: { dimensions } })), '!at least 0.999 is right')
})

test('rejects a file with a changed byte', async () => {
  await using temp = await createTempFolder('og-model')
  const tokenizerPath = join(temp.path, 'tokenizer.json')
  copyFileSync(modelFiles.tokenizer, tokenizerPath)
  writeFileSync(tokenizerPath, ' ', { flag: 'r+' })
  const find = async () => ({ ...files, tokenizerPath })
  const checked = checkModel({ ...builtin, find }, { offline: true })
  expect(await checked.then(() => 'passed', String)).toContain(`"${tokenizerPath}": sha256 is`)
})

test('checks a store without embeddings, and an endpoint with and without network access', async () => {
  await check({ backend: 'none' }, 'full-text search alone')
  const endpoint = { backend: 'openai', model: 'm', ...opens(hashEmbedder()) } as const
  await check(endpoint, 'openai: m at http://h.test/v1; answered with 32 dimensions')
  await check(endpoint, 'openai: m at http://h.test/v1; not asked', true)
})

test('reports which settings need network access', async () => {
  const needs = (subject: Partial<EmbedderToCheck>) => checkNetworkNeeds({ ...builtin, ...subject })
  expect(await needs({ backend: 'none' })).toMatchObject({ ok: true })
  expect(await needs({})).toMatchObject({ ok: true })
  const asks = expect.stringContaining('every add and query asks http://h.test/v1')
  expect(await needs({ backend: 'openai' })).toMatchObject({ ok: false, detail: asks })
})
