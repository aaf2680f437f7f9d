import { existsSync } from 'node:fs'
import { join } from 'node:path'
import {
  acquireModel,
  bundledModel,
  defaultHubEndpoint,
  type AcquiredModel,
  type AcquireOptions,
} from '../embed/acquire.ts'
import { openEmbeddingCache } from '../embed/cache.ts'
import type { CountTokens, Embedder, Fingerprint } from '../embed/embedder.ts'
import { cacheArithmetic, isCacheOfModel } from '../embed/probe.ts'
import { defaultModel, fingerprintOf, findModel, modelOf, type Model } from '../embed/models.ts'
import { hasModel, modelFolder } from '../embed/model-files.ts'
import type { EmbeddingSetup } from '../library/library-context.ts'
import type { Natives } from '../platform/native/load.ts'
import { once } from '../platform/concurrency.ts'
import type { Config } from './config.ts'

export function embedderRecipe(
  config: Config,
): { fingerprint: Fingerprint; arithmetic: string } | null {
  const { backend, model, dimensions } = config.embeddings
  if (backend === 'none') return null
  if (backend === 'openai') {
    const fingerprint = { model, dimensions, pooling: 'endpoint', queryPrefix: '' }
    return { fingerprint, arithmetic: 'openai' }
  }
  return { fingerprint: fingerprintOf(findModel(model)), arithmetic: 'int8' }
}

export async function openEmbedder(
  config: Config,
  natives: Natives,
  { threads, ...http }: { threads?: number; attempts?: number } = {},
): Promise<Embedder | null> {
  const recipe = embedderRecipe(config)
  if (recipe === null) return null
  if (config.embeddings.backend === 'openai') {
    const { openOpenAiEmbedder } = await import('../embed/openai.ts')
    const baseUrl = endpointUrl(config)
    return openOpenAiEmbedder({ ...config.embeddings, baseUrl, http })
  }
  const model = findModel(config.embeddings.model)
  const files = await acquireModelFiles(model, { config, natives })
  return openModel(model, files, { config, natives, threads })
}

/** Opens other models than the configured one, once each, for libraries that use them. */
export function openOtherEmbedders(
  config: Config,
  natives: Natives,
  stack: AsyncDisposableStack,
): (fingerprint: Fingerprint) => Promise<Embedder | null> {
  const openModels = new Map<Model, () => Promise<Embedder>>()
  return async (fingerprint) => {
    const place = localModel(config, natives, fingerprint)
    if (place === null) return null
    const { model, files } = place
    const open =
      openModels.get(model) ??
      once(async () =>
        stack.use(
          await openModel(model, await files(), { config, natives, threads: 1, offline: true }),
        ),
      )
    openModels.set(model, open)
    return open()
  }
}

/** Finds a model by fingerprint on this machine only, because a query must not download a model. */
export function localModel(
  config: Config,
  natives: Natives,
  fingerprint: Fingerprint,
): { model: Model; files: () => Promise<AcquiredModel> } | null {
  const model = modelOf(fingerprint)
  if (model === undefined) return null
  // A folder with only the configured model cannot have a second one.
  const hasFolder = config.modelDir && existsSync(join(config.modelDir, modelFolder(model)))
  const options = {
    config: hasFolder ? config : { ...config, modelDir: null },
    natives,
    offline: true,
  }
  if (!hasModel(model, acquireOptions(model, options))) return null
  return { model, files: () => acquireModelFiles(model, options) }
}

async function openModel(
  model: Model,
  files: AcquiredModel,
  {
    config,
    natives,
    threads,
    offline = false,
  }: { config: Config; natives: Natives; threads?: number | undefined; offline?: boolean },
): Promise<Embedder> {
  const { openBuiltinEmbedder } = await import('../embed/builtin.ts')
  const { modelPath, encoderPath, tokenizerPath } = files
  return openBuiltinEmbedder({
    fingerprint: fingerprintOf(model),
    maxTokens: model.maxTokens,
    modelPath,
    tokenizerPath,
    kernelsPath: natives.kernels,
    // Without an ONNX graph, ONNX Runtime is not downloaded or unpacked.
    bindingPath: modelPath === null ? null : await natives.onnxruntime({ offline }),
    encoderPath,
    engine: config.embeddings.engine,
    ...(threads === undefined ? {} : { threads }),
  })
}

export function endpointUrl(config: Config): string {
  return config.embeddings.baseUrl ?? 'https://api.openai.com/v1'
}

/** Returns settings for a trial without an endpoint, which tests only full text. */
export function withoutEndpoint(config: Config): Config {
  if (config.embeddings.backend !== 'openai') return config
  return { ...config, embeddings: { ...config.embeddings, backend: 'none' } }
}

type ModelPlaces = Pick<AcquireOptions, 'onProgress' | 'signal'> & {
  config: Config
  natives: Natives
  offline?: boolean
}

export function acquireModelFiles(model: Model, places: ModelPlaces): Promise<AcquiredModel> {
  return acquireModel(model, acquireOptions(model, places))
}

function acquireOptions(model: Model, places: ModelPlaces): AcquireOptions {
  const { config, natives, offline, ...watch } = places
  return {
    ...watch,
    offline: offline ?? false,
    embedded: model === defaultModel ? bundledModel(natives, config.embeddings.engine) : null,
    modelDir: config.modelDir,
    cachePath: config.cachePath,
    hubEndpoint: process.env.HF_ENDPOINT || defaultHubEndpoint,
  }
}

export async function openEmbedding(
  config: Config,
  embedder: () => Promise<Embedder | null>,
): Promise<EmbeddingSetup> {
  const openedEmbedder = await embedder()
  if (openedEmbedder === null) return null
  const path = join(config.dbPath, 'embeddings.sqlite')
  const embedding = { embedder: openedEmbedder, cache: openEmbeddingCache(path, openedEmbedder) }
  if (openedEmbedder.probe === undefined) return embedding
  return Object.assign(embedding, { ready: once(() => chooseCache(embedding, path)) })
}

/**
 * Selects the cache that this model filled. The endpoint may have served a different model under
 * the same name before, and its vectors must not be used.
 */
async function chooseCache(embedding: NonNullable<EmbeddingSetup>, path: string): Promise<void> {
  const { embedder } = embedding
  for (let turn = 2; !(await isCacheOfModel(embedding.cache, embedder)); turn++) {
    embedding.cache[Symbol.dispose]()
    const arithmetic = cacheArithmetic(embedder.arithmetic, turn)
    embedding.cache = openEmbeddingCache(path, { ...embedder, arithmetic })
  }
}

/** Opens the token counter of all models for chunking. The first text loads the tokenizer. */
export async function openTokenCounter(config: Config, natives: Natives): Promise<CountTokens> {
  const { openTokenizer } = await import('../embed/tokenizer.ts')
  const find = () => acquireModelFiles(defaultModel, { config, natives })
  const tokenizerPath = natives.tokenizer ?? (await find()).tokenizerPath
  let own: CountTokens | null = null
  const count = (text: string) => (own ??= openTokenizer(tokenizerPath).count)(text)
  return Object.assign(count, { tokenizerPath })
}
