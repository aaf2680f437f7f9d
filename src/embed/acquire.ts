import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { download, type DownloadOptions } from '../platform/web/download.ts'
import { OgError } from '../platform/error.ts'
import { verifyFile } from '../platform/hash.ts'
import { trimEndCharacters } from '../platform/text/trim.ts'
import type { Model, ModelFile } from './models.ts'
import { cachePathsOf, modelFolder } from './model-files.ts'

export type ModelFiles = {
  /** The graph for ONNX Runtime. Null if the executable has only the encoder's weights. */
  modelPath: string | null
  /** The weights of og's own encoder, which only the executable contains. */
  encoderPath: string | null
  tokenizerPath: string
}

export type AcquiredModel = ModelFiles & { origin: 'embedded' | 'model_dir' | 'cache' | 'hub' }

export type AcquireOptions = {
  /** The int8 files unpacked from the executable, or null if it has no usable ones. */
  embedded: ModelFiles | null
  /** The folder that the user chose, which must contain the files, or null. */
  modelDir: string | null
  cachePath: string
  hubEndpoint: string
  /** Never opens a socket. */
  offline?: boolean
  onProgress?: (file: ModelFile, doneBytes: number) => void
  signal?: AbortSignal
  http?: DownloadOptions['http']
}

/**
 * Finds the model's files in the first place that has them: the executable, the user's folder, the
 * cache, or the hub, whose files are then cached. Every file must have its pinned hash.
 * @throws OgError if a hash is wrong, a file is missing, or the hub cannot be reached
 */
export async function acquireModel(model: Model, options: AcquireOptions): Promise<AcquiredModel> {
  const { embedded, modelDir } = options
  if (embedded !== null) return verifyAcquired(model, { ...embedded, origin: 'embedded' }, options)
  if (modelDir !== null) {
    const modelPath = pathInFolder(modelDir, model, model.weights)
    const tokenizerPath = pathInFolder(modelDir, model, model.tokenizer)
    const acquired = { modelPath, encoderPath: null, tokenizerPath, origin: 'model_dir' } as const
    return verifyAcquired(model, acquired, options)
  }
  return acquireCached(model, options)
}

/** Returns the bundled model files if the engine can use them. ONNX Runtime needs a graph. */
export function bundledModel(
  bundledPaths: { model: string | null; encoder: string | null; tokenizer: string | null },
  engine: 'auto' | 'native' | 'onnx',
): ModelFiles | null {
  const { model: modelPath, encoder: encoderPath, tokenizer: tokenizerPath } = bundledPaths
  const isEnough = modelPath !== null || (encoderPath !== null && engine !== 'onnx')
  return isEnough && tokenizerPath !== null ? { modelPath, encoderPath, tokenizerPath } : null
}

/** The public hub. HF_ENDPOINT selects a mirror. */
export const defaultHubEndpoint = 'https://huggingface.co'

/** Returns the URL of a model file. @throws OgError if the endpoint is not a web address */
export function hubUrl(endpoint: string, file: ModelFile): string {
  if (!/^https?:\/\/[^/]/i.test(endpoint)) {
    throw new OgError(`Cannot use hub "${endpoint}": not an http or https address`, {
      hint: 'check HF_ENDPOINT',
    })
  }
  return `${trimEndCharacters(endpoint, '/')}/${file.repo}/resolve/${file.revision}/${file.path}`
}

async function acquireCached(model: Model, options: AcquireOptions): Promise<AcquiredModel> {
  const cachePaths = cachePathsOf(model, options.cachePath)
  const isCached = cachePaths.every(({ path }) => existsSync(path))
  if (!isCached && options.offline) throw missingOffline(model)
  for (const { file, path } of cachePaths) await downloadMissing(file, path, options)
  const origin = isCached ? 'cache' : 'hub'
  const [tokenizer, weights] = cachePaths
  const paths = { modelPath: weights!.path, encoderPath: null, tokenizerPath: tokenizer!.path }
  return verifyAcquired(model, { ...paths, origin }, options)
}

async function downloadMissing(
  file: ModelFile,
  path: string,
  options: AcquireOptions,
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

async function verifyAcquired(
  model: Model,
  acquired: AcquiredModel,
  { cachePath }: AcquireOptions,
): Promise<AcquiredModel> {
  await verifyModelFiles(model, { acquired, stampFolder: join(cachePath, 'verified') })
  return acquired
}

/** Checks the hashes of a model's files. @throws OgError if a file lacks its pinned hash */
export async function verifyModelFiles(
  { encoder, weights, tokenizer, tensors }: Model,
  { acquired, stampFolder }: { acquired: ModelFiles; stampFolder: string | null },
): Promise<void> {
  const { modelPath, encoderPath, tokenizerPath } = acquired
  await verifyFile(tokenizerPath, { sha256: tokenizer.sha256, stampFolder })
  if (encoderPath !== null && encoder !== null) {
    await verifyFile(encoderPath, { sha256: encoder.sha256, stampFolder })
  }
  if (modelPath === null) return
  await verifyFile(modelPath, { sha256: weights.sha256, stampFolder })
  if (tensors === null) return
  const path = join(dirname(modelPath), tensors.name)
  await verifyFile(path, { sha256: tensors.sha256, stampFolder })
}

/** Returns a file's path in the folder or its subfolder, flat or as in the repository. */
function pathInFolder(folder: string, model: Model, file: ModelFile): string {
  const own = join(folder, modelFolder(model))
  const candidates = [own, folder].flatMap((it) => [join(it, file.name), join(it, file.path)])
  const path = candidates.find((path) => existsSync(path))
  if (path !== undefined) return path
  throw new OgError(`Cannot read the model from "${folder}": ${file.name} is missing`, {
    hint: 'set embeddings.model_dir (OG_MODEL_DIR) to a folder with the model and its tokenizer',
  })
}

function missingOffline(model: Model): OgError {
  return new OgError(
    `Cannot load model "${model.id}": it is not on this machine, and og is offline`,
    { hint: 'run once with network access, or set OG_MODEL_DIR to a folder with the files' },
  )
}
