import { afterEach, beforeEach, expect, test } from 'bun:test'
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import {
  acquireModel,
  type AcquireOptions,
  bundledModel,
  hubUrl,
  type ModelFiles,
} from '../../src/embed/acquire.ts'
import { defaultModel, type Model, type ModelFile } from '../../src/embed/models.ts'
import { hasModel } from '../../src/embed/model-files.ts'
import { sha256 } from '../../src/platform/hash.ts'
import { serveLocal } from '../support/servers/serve-local.ts'

// Has the same fields as the table of models, with contents of a few bytes.
const contents: Record<string, string> = {
  'tokenizer.json': '{}',
  'model_quantized.onnx': 'int8 weights',
}
const small = (file: ModelFile): ModelFile => {
  const content = contents[file.name]!
  return { ...file, sha256: sha256(content), sizeBytes: content.length }
}
const model = {
  ...defaultModel,
  tokenizer: small(defaultModel.tokenizer),
  weights: small(defaultModel.weights),
  encoder: { ...defaultModel.encoder, sha256: sha256('own weights') },
} satisfies Model

let folder = ''
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'og-acquire-'))))
afterEach(() => rmSync(folder, { recursive: true }))

test('prefers the bundled files', () => {
  const embedded = filesIn('embedded')
  return check({ embedded, modelDir: written('dir') }, 'embedded', { nRequests: 0 })
})

test('needs no graph to use the bundled weights of the built-in encoder', async () => {
  const { tokenizerPath } = filesIn('embedded')
  const encoderPath = join(folder, 'encoder.weights')
  writeFileSync(encoderPath, 'own weights')
  const embedded = { modelPath: null, encoderPath, tokenizerPath }
  expect(await acquireModel(model, { ...defaults('http://127.0.0.1:1'), embedded })).toEqual({
    ...embedded,
    origin: 'embedded',
  })
  writeFileSync(encoderPath, 'OWN weights')
  await check({ embedded }, `sha256 is ${sha256('OWN weights')}`, { nRequests: 0 })
})

test('uses bundled files if the engine supports them', () => {
  const [model, encoder, tokenizer] = ['graph', 'weights', 'tokenizer']
  const files = { modelPath: null, encoderPath: encoder, tokenizerPath: tokenizer }
  expect(bundledModel({ model: null, encoder, tokenizer }, 'auto')).toEqual(files)
  expect(bundledModel({ model: null, encoder, tokenizer }, 'onnx')).toBe(null)
  expect(bundledModel({ model, encoder, tokenizer }, 'onnx')).toMatchObject({ modelPath: 'graph' })
  expect(bundledModel({ model, encoder: null, tokenizer: null }, 'auto')).toBe(null)
})

test("uses a model in the user's folder, either flat or laid out like the hub", async () => {
  await check({ modelDir: written('dir') }, 'model_dir', { nRequests: 0 })
  await check({ modelDir: written('clone', 'path') }, 'model_dir', { nRequests: 0 })
})

test('downloads from the hub as a last resort, and caches the files', async () => {
  const said: string[] = []
  const onProgress = (file: ModelFile, done: number) => void said.push(`${file.name} ${done}`)
  await check({ onProgress }, 'hub', { nRequests: 2 })
  expect(said).toEqual(['tokenizer.json 2', 'model_quantized.onnx 12'])
  await check({}, 'cache', { nRequests: 0 })
  await check({ offline: true }, 'cache', { nRequests: 0 })
})

test('finds each model in its own subfolder of a folder of models', async () => {
  written(join('dirs', 'BAAI--bge-small-en-v1.5'))
  await check({ modelDir: join(folder, 'dirs') }, 'model_dir', { nRequests: 0 })
})

test('finds the second file of a graph next to the graph, from the hub and the cache', async () => {
  const content = 'its data'
  const tensors = {
    ...model.weights,
    name: 'model_quantized.onnx_data',
    path: 'onnx/model_quantized.onnx_data',
    sha256: sha256(content),
    sizeBytes: content.length,
  }
  const whole = { ...model, tensors }
  const served = (pathname: string) =>
    pathname.endsWith('_data') ? content : contents[basename(pathname)]!
  using server = serveLocal(({ url }) => new Response(served(new URL(url).pathname)))
  const options = defaults(server.url.origin)
  expect(hasModel(whole, options)).toBe(false)
  const { modelPath, origin } = await acquireModel(whole, options)
  expect(origin).toBe('hub')
  expect(hasModel(whole, options)).toBe(true)
  const path = join(dirname(modelPath!), tensors.name)
  expect((await acquireModel(whole, { ...options, offline: true })).origin).toBe('cache')
  writeFileSync(path, 'ITS DATA')
  await expect(acquireModel(whole, options)).rejects.toThrow(`sha256 is ${sha256('ITS DATA')}`)
  rmSync(path)
  expect(hasModel(whole, options)).toBe(false)
})

test("fails if the user's folder lacks a file", async () => {
  const modelDir = written('dir')
  rmSync(join(modelDir, 'tokenizer.json'))
  const said = `Cannot read the model from "${modelDir}": tokenizer.json is missing`
  await check({ modelDir }, said, { nRequests: 0 })
})

test('fails if a file has a wrong hash, wherever the file is', async () => {
  const wrong = `sha256 is ${sha256('INT8 weights')}, expected ${model.weights.sha256}`
  const modelDir = written('dir')
  writeFileSync(join(modelDir, 'model_quantized.onnx'), 'INT8 weights')
  await check({ modelDir }, wrong, { nRequests: 0 })
  const embedded = filesIn('embedded')
  writeFileSync(embedded.modelPath!, 'INT8 weights')
  await check({ embedded }, wrong, { nRequests: 0 })
  const cached = await check({}, 'hub', { nRequests: 2 })
  writeFileSync(cached!.modelPath!, 'INT8 weights')
  await check({}, wrong, { nRequests: 0 })
})

test('fails without keeping a file if its hash differs from the pinned one', async () => {
  const options = { 'tokenizer.json': '[]' }
  await check({}, `sha256 is ${sha256('[]')}`, { nRequests: 1, served: options })
  await check({ offline: true }, 'Cannot load model', { nRequests: 0 })
})

test('opens no socket when offline', () =>
  check(
    { offline: true },
    'Cannot load model "BAAI/bge-small-en-v1.5": it is not on this machine',
    { nRequests: 0 },
  ))

test('reports the address of an unreachable hub', async () => {
  const options = { ...defaults('http://127.0.0.1:1'), cachePath: join(folder, 'none') }
  await expect(acquireModel(model, options)).rejects.toThrow('connection refused')
})

test('uses a cache in a read-only folder', async () => {
  await check({}, 'hub', { nRequests: 2 })
  rmSync(join(folder, 'cache', 'verified'), { recursive: true })
  writeFileSync(join(folder, 'cache', 'verified'), 'in the way of the stamps')
  await check({}, 'cache', { nRequests: 0 })
})

test('includes the pinned revision in a hub URL', () => {
  const url =
    'https://mirror.test/hf/BAAI/bge-small-en-v1.5/resolve/' +
    '5c38ec7c405ec4b44b94cc5a9bb96e735b38267a/tokenizer.json'
  expect(hubUrl('https://mirror.test/hf/', defaultModel.tokenizer)).toBe(url)
  expect(() => hubUrl('mirror.test', defaultModel.tokenizer)).toThrow('hub "mirror.test"')
})

/** `expected` is the origin of the files, or part of the error message. */
async function check(
  options: Partial<AcquireOptions>,
  expected: string,
  world: { nRequests: number; served?: Record<string, string> },
) {
  let nRequests = 0
  const served = { ...contents, ...world.served }
  using server = serveLocal((request) => {
    nRequests++
    const { pathname } = new URL(request.url)
    const found = [model.tokenizer, model.weights].find(
      (file) => pathname === `/${file.repo}/resolve/${file.revision}/${file.path}`,
    )
    return found ? new Response(served[found.name]) : new Response('', { status: 404 })
  })
  const acquired = await acquireModel(model, { ...defaults(server.url.origin), ...options }).catch(
    (error) => String(error),
  )
  expect(nRequests).toBe(world.nRequests)
  if (typeof acquired === 'string') return void expect(acquired).toContain(expected)
  expect(acquired.origin).toBe(expected as typeof acquired.origin)
  expect(existsSync(acquired.modelPath!) && existsSync(acquired.tokenizerPath)).toBe(true)
  return acquired
}

function defaults(hubEndpoint: string): AcquireOptions {
  const http = { sleep: async () => {} }
  return { embedded: null, modelDir: null, cachePath: join(folder, 'cache'), hubEndpoint, http }
}

function written(name: string, layout: 'name' | 'path' = 'name'): string {
  for (const file of [model.tokenizer, model.weights]) {
    const path = join(folder, name, file[layout])
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, contents[file.name]!)
  }
  return join(folder, name)
}

function filesIn(name: string): ModelFiles {
  const path = written(name)
  // The names differ from the usual ones, because an executable may use any names when it unpacks.
  cpSync(join(path, 'model_quantized.onnx'), join(path, 'quantized.onnx'))
  const [modelPath, tokenizerPath] = [join(path, 'quantized.onnx'), join(path, 'tokenizer.json')]
  return { modelPath, encoderPath: null, tokenizerPath }
}
