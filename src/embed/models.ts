import { OgError } from '../platform/error.ts'
import type { Fingerprint } from './embedder.ts'

/** One file of a model: where the hub keeps it and what it must be. */
export type ModelFile = {
  /** Its name in a model folder and in the cache. */
  name: string
  repo: string
  /** A commit of the repo: the hub may change `main`, never this. */
  revision: string
  path: string
  sha256: string
  sizeBytes: number
}

export type Precision = 'int8' | 'fp32'

export type Model = {
  id: string
  dimensions: number
  /** Longest input in tokens, special tokens included. */
  maxTokens: number
  pooling: 'cls'
  /** Stands before queries, never before passages. */
  queryPrefix: string
  tokenizer: ModelFile
  weights: Record<Precision, ModelFile>
  /** Weights for our own encoder, made from the fp32 weights by scripts/quantise.ts. */
  encoder: { name: string; sha256: string; sizeBytes: number; heads: number }
}

/** What the executable carries and what is used unless a user names another. */
export const defaultModel: Model = {
  id: 'BAAI/bge-small-en-v1.5',
  dimensions: 384,
  maxTokens: 512,
  pooling: 'cls',
  queryPrefix: 'Represent this sentence for searching relevant passages: ',
  tokenizer: {
    name: 'tokenizer.json',
    repo: 'BAAI/bge-small-en-v1.5',
    revision: '5c38ec7c405ec4b44b94cc5a9bb96e735b38267a',
    path: 'tokenizer.json',
    sha256: 'd241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66',
    sizeBytes: 711_396,
  },
  weights: {
    int8: {
      name: 'model_quantized.onnx',
      repo: 'Xenova/bge-small-en-v1.5',
      revision: 'ea104dacec62c0de699686887e3f920caeb4f3e3',
      path: 'onnx/model_quantized.onnx',
      sha256: '6c9c6101a956d62dfb5e7190c538226c0c5bb9cb27b651234b6df063ee7dbfe4',
      sizeBytes: 34_014_426,
    },
    fp32: {
      name: 'model.onnx',
      repo: 'BAAI/bge-small-en-v1.5',
      revision: '5c38ec7c405ec4b44b94cc5a9bb96e735b38267a',
      path: 'onnx/model.onnx',
      sha256: '828e1496d7fabb79cfa4dcd84fa38625c0d3d21da474a00f08db0f559940cf35',
      sizeBytes: 133_093_490,
    },
  },
  encoder: {
    name: 'encoder.weights',
    sha256: 'abf9ad13f28025361be02d96942d79e164966273af19fbe29ac4d36f7c468d1d',
    sizeBytes: 34_438_720,
    heads: 12,
  },
}

// A model enters with hashes of files that were run here, and with golden vectors for its test.
const models: readonly Model[] = [defaultModel]

/** The model of a configured name, upper and lower case alike; @throws OgError for another. */
export function modelNamed(id: string): Model {
  const found = models.find((model) => model.id.toLowerCase() === id.trim().toLowerCase())
  if (found !== undefined) return found
  const known = models.map((model) => model.id).join(', ')
  throw new OgError(`Cannot use embedding model "${id}": only ${known} is built in`, {
    hint: 'set embeddings.embedding_model to it, or embeddings.embedding_backend to openai',
  })
}

export function fingerprintOf(model: Model): Fingerprint {
  const { id, dimensions, pooling, queryPrefix } = model
  return { model: id, dimensions, pooling, queryPrefix }
}
