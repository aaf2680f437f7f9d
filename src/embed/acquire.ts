import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { download, type DownloadOptions } from '../platform/download.ts'
import { OgError } from '../platform/error.ts'
import { verifyFile } from '../platform/hash.ts'
import type { Model, ModelFile, Precision } from './models.ts'

export type ModelFiles = { modelPath: string; tokenizerPath: string }

export type AcquiredModel = ModelFiles & { origin: 'embedded' | 'model_dir' | 'cache' | 'hub' }

export type AcquireOptions = {
  /** The int8 files that the executable has unpacked; null where it carries none. */
  embedded: ModelFiles | null
  /** A folder that the user named: it holds the files, or that is an error. */
  modelDir: string | null
  cachePath: string
  hubEndpoint: string
  precision?: Precision
  /** Never open a socket. */
  offline?: boolean
  onProgress?: (file: ModelFile, doneBytes: number) => void
  signal?: AbortSignal
  http?: DownloadOptions['http']
}

/**
 * Finds the model's files, first found first taken: embedded in the executable, the user's folder,
 * the cache, the hub (whose files then lie in the cache). Every file is checked against its pinned
 * hash.
 * @throws OgError for a wrong hash, a missing file, an unreachable hub
 */
export async function acquireModel(
  model: Model, options: AcquireOptions,
): Promise<AcquiredModel> {
  const { embedded, modelDir, precision = 'int8' } = options
  const files = { weights: model.weights[precision], tokenizer: model.tokenizer }
  if (embedded !== null && precision === 'int8') {
    return verified(files, { ...embedded, origin: 'embedded' }, options)
  }
  if (modelDir !== null) {
    const modelPath = pathInFolder(modelDir, files.weights)
    const tokenizerPath = pathInFolder(modelDir, files.tokenizer)
    return verified(files, { modelPath, tokenizerPath, origin: 'model_dir' }, options)
  }
  return acquireCached(model, files, options)
}

/** The public hub; HF_ENDPOINT names a mirror. */
export const defaultHubEndpoint = 'https://huggingface.co'

/** @throws OgError when the endpoint is no web address */
export function hubUrl(endpoint: string, file: ModelFile): string {
  if (!/^https?:\/\/[^/]/i.test(endpoint)) {
    throw new OgError(`Cannot use hub "${endpoint}": not an http or https address`, {
      hint: 'check HF_ENDPOINT',
    })
  }
  return `${endpoint.replace(/\/+$/, '')}/${file.repo}/resolve/${file.revision}/${file.path}`
}

type Files = { weights: ModelFile; tokenizer: ModelFile }

async function acquireCached(
  model: Model, files: Files, options: AcquireOptions,
): Promise<AcquiredModel> {
  const modelPath = pathInCache(model, files.weights, options.cachePath)
  const tokenizerPath = pathInCache(model, files.tokenizer, options.cachePath)
  const isCached = existsSync(modelPath) && existsSync(tokenizerPath)
  if (!isCached && options.offline) throw missingOffline(model)
  // The small one first: a hub that refuses is noticed before the long download.
  if (!isCached) await downloadMissing(files.tokenizer, tokenizerPath, options)
  if (!isCached) await downloadMissing(files.weights, modelPath, options)
  const origin = isCached ? 'cache' : 'hub'
  return verified(files, { modelPath, tokenizerPath, origin }, options)
}

async function downloadMissing(
  file: ModelFile, path: string, options: AcquireOptions,
): Promise<void> {
  if (existsSync(path)) return
  const { hubEndpoint, onProgress, signal, http } = options
  await download(hubUrl(hubEndpoint, file), path, {
    sha256: file.sha256,
    sizeBytes: file.sizeBytes,
    onProgress: (doneBytes) => onProgress?.(file, doneBytes),
    hint: 'set HF_ENDPOINT to a mirror, or OG_MODEL_DIR to a folder with the files',
    signal,
    http,
  })
}

async function verified(
  files: Files, acquired: AcquiredModel, options: AcquireOptions,
): Promise<AcquiredModel> {
  const stampFolder = join(options.cachePath, 'verified')
  const { weights, tokenizer } = files
  await verifyFile(acquired.modelPath, { sha256: weights.sha256, stampFolder })
  await verifyFile(acquired.tokenizerPath, { sha256: tokenizer.sha256, stampFolder })
  return acquired
}

/** Beside each other, or as the hub's own folders lie in a clone of it. */
function pathInFolder(folder: string, file: ModelFile): string {
  const candidates = [join(folder, file.name), join(folder, file.path)]
  const found = candidates.find((path) => existsSync(path))
  if (found !== undefined) return found
  throw new OgError(`Cannot read the model from "${folder}": ${file.name} is not there`, {
    hint: 'embeddings.model_dir (OG_MODEL_DIR) names a folder with the model and its tokenizer',
  })
}

// The hash is part of the path: another release may pin other bytes under the same name.
function pathInCache(model: Model, file: ModelFile, cachePath: string): string {
  const folder = model.id.replaceAll('/', '--')
  return join(cachePath, 'models', folder, file.sha256.slice(0, 12), file.name)
}

function missingOffline(model: Model): OgError {
  return new OgError(`Cannot load model "${model.id}": not on this machine, and working offline`, {
    hint: 'run once with network, or set OG_MODEL_DIR to a folder with the files',
  })
}
