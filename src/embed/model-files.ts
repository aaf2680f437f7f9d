import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Model, ModelFile } from './models.ts'

/** True if `acquireModel` would find the model's files without the network. Opens no file. */
export function hasModel(
  model: Model,
  places: { embedded: unknown; modelDir: string | null; cachePath: string },
): boolean {
  if (places.embedded !== null || places.modelDir !== null) return true
  const cached = cachePathsOf(model, places.cachePath)
  return cached.every(({ path }) => existsSync(path))
}

/** Returns the name of a model's own folder, in the cache or in a folder of several models. */
export function modelFolder(model: Pick<Model, 'id'>): string {
  return model.id.replaceAll('/', '--')
}

/** Returns a model's files in the cache, small files first, so that errors appear early. */
export function cachePathsOf(model: Model, cachePath: string): { file: ModelFile; path: string }[] {
  const { tokenizer, weights, tensors } = model
  const modelPath = pathInCache(model, weights, cachePath)
  return [
    { file: tokenizer, path: pathInCache(model, tokenizer, cachePath) },
    { file: weights, path: modelPath },
    ...(tensors === null ? [] : [{ file: tensors, path: join(dirname(modelPath), tensors.name) }]),
  ]
}

// The path contains the hash because a later release may pin a different file with the same name.
function pathInCache(model: Model, file: ModelFile, cachePath: string): string {
  return join(cachePath, 'models', modelFolder(model), file.sha256.slice(0, 12), file.name)
}
