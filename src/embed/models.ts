import { OgError } from '../platform/error.ts'
import type { Fingerprint } from './embedder.ts'

/** A model file: its location on the hub and its pinned content. */
export type ModelFile = {
  /** File name in a model's folder and in the cache. */
  name: string
  repo: string
  /** A commit of the repository. Unlike `main`, it never changes. */
  revision: string
  path: string
  sha256: string
  sizeBytes: number
}

export type Model = {
  /** The model's name on the hub. */
  id: string
  /** SPDX identifier of the weights' licence, from the model's page. */
  license: 'MIT' | 'Apache-2.0'
  dimensions: number
  /** Maximum input of the model in tokens, including special tokens. */
  maxTokens: number
  /** The embedding is the first token's row (`cls`) or the mean of all tokens' rows (`mean`). */
  pooling: 'cls' | 'mean'
  /** The text that precedes queries. These models have no prefix for passages. */
  queryPrefix: string
  tokenizer: ModelFile
  /** The int8 graph. */
  weights: ModelFile
  /** The second file of the int8 graph, in the same folder; null if there is none. */
  tensors: ModelFile | null
  /** The encoder's weights, created by scripts/model/quantise.ts. */
  encoder: { name: string; sha256: string; sizeBytes: number; heads: number } | null
}

/** Returns a function that makes a commit's `ModelFile` from path, SHA-256 and size. */
const commit =
  (repo: string, revision: string) =>
  (path: string, sha256: string, sizeBytes: number): ModelFile => ({
    name: path.slice(path.lastIndexOf('/') + 1),
    repo,
    revision,
    path,
    sha256,
    sizeBytes,
  })

const retrievalPrefix = 'Represent this sentence for searching relevant passages: '

/** Properties that most models share. */
const usual = {
  dimensions: 384,
  maxTokens: 512,
  pooling: 'cls',
  queryPrefix: retrievalPrefix,
  tensors: null,
  encoder: null,
} as const

const bgeSmall = commit('BAAI/bge-small-en-v1.5', '5c38ec7c405ec4b44b94cc5a9bb96e735b38267a')
const bgeSmallInt8 = commit('Xenova/bge-small-en-v1.5', 'ea104dacec62c0de699686887e3f920caeb4f3e3')

/** The model in the executable, used unless the user chooses a different one. */
export const defaultModel = {
  ...usual,
  id: 'BAAI/bge-small-en-v1.5',
  license: 'MIT',
  tokenizer: bgeSmall(
    'tokenizer.json',
    'd241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66',
    711_396,
  ),
  weights: bgeSmallInt8(
    'onnx/model_quantized.onnx',
    '6c9c6101a956d62dfb5e7190c538226c0c5bb9cb27b651234b6df063ee7dbfe4',
    34_014_426,
  ),
  encoder: {
    name: 'encoder.weights',
    sha256: 'ee03a28765e9628b7429ae280bf9924e1980c9562a4ec70505ea5e7d7b5e174c',
    sizeBytes: 34_438_720,
    heads: 12,
  },
} satisfies Model

const bgeBase = commit('Xenova/bge-base-en-v1.5', '4d6cd88e18e51a5e020c2c305726d76ada9c03cf')
const arcticS = commit(
  'Snowflake/snowflake-arctic-embed-s',
  'e596f507467533e48a2e17c007f0e1dacc837b33',
)
const arcticXs = commit(
  'Snowflake/snowflake-arctic-embed-xs',
  'd8c86521100d3556476a063fc2342036d45c106f',
)
const miniLm = commit('Xenova/all-MiniLM-L6-v2', '751bff37182d3f1213fa05d7196b954e230abad9')
const granite = commit(
  'onnx-community/granite-embedding-small-english-r2-ONNX',
  '1dc7835ba0cb9c76a3618d0bf0c427c97671b3c8',
)

/**
 * All known models. Every hash belongs to a file at a pinned commit. We computed the hashes for
 * MiniLM; several public projects pin the same hashes for the others. A file with a different hash
 * is rejected.
 */
export const models: readonly Model[] = [
  defaultModel,
  {
    ...usual,
    id: 'BAAI/bge-base-en-v1.5',
    license: 'MIT',
    dimensions: 768,
    tokenizer: bgeBase(
      'tokenizer.json',
      defaultModel.tokenizer.sha256,
      defaultModel.tokenizer.sizeBytes,
    ),
    weights: bgeBase(
      'onnx/model_quantized.onnx',
      'c9729cc84cbd0e9fecc759505d2be65916c9fe05222d7ea26c65fcb3382af38d',
      110_083_337,
    ),
  },
  {
    ...usual,
    id: 'Snowflake/snowflake-arctic-embed-s',
    license: 'Apache-2.0',
    tokenizer: arcticS(
      'tokenizer.json',
      '91f1def9b9391fdabe028cd3f3fcc4efd34e5d1f08c3bf2de513ebb5911a1854',
      711_649,
    ),
    weights: arcticS(
      'onnx/model_quantized.onnx',
      'f93ff225320628d2e88baf2a395cae791b0e3b27edf5c70bf7b312a4d3260c14',
      34_015_111,
    ),
  },
  {
    ...usual,
    id: 'Snowflake/snowflake-arctic-embed-xs',
    license: 'Apache-2.0',
    tokenizer: arcticXs(
      'tokenizer.json',
      '91f1def9b9391fdabe028cd3f3fcc4efd34e5d1f08c3bf2de513ebb5911a1854',
      711_649,
    ),
    weights: arcticXs(
      'onnx/model_quantized.onnx',
      'e6aa5e656466a73d7c3111e9a3378bd13e5b93af30eaac2b3f13fd56692589a1',
      22_972_992,
    ),
  },
  {
    ...usual,
    id: 'sentence-transformers/all-MiniLM-L6-v2',
    license: 'Apache-2.0',
    // The graph accepts 512 tokens, but its makers truncate at 256.
    maxTokens: 256,
    pooling: 'mean',
    queryPrefix: '',
    tokenizer: miniLm(
      'tokenizer.json',
      'da0e79933b9ed51798a3ae27893d3c5fa4a201126cef75586296df9b4d2c62a0',
      711_661,
    ),
    weights: miniLm(
      'onnx/model_quantized.onnx',
      'afdb6f1a0e45b715d0bb9b11772f032c399babd23bfc31fed1c170afc848bdb1',
      22_972_370,
    ),
  },
  {
    // ModernBERT. It accepts 8,192 tokens, but attention over all of them would take minutes per
    // page.
    ...usual,
    id: 'ibm-granite/granite-embedding-small-english-r2',
    license: 'Apache-2.0',
    maxTokens: 1024,
    queryPrefix: '',
    tokenizer: granite(
      'tokenizer.json',
      'feeb83348dcb033bc6b9d2e1f7906ca9eb2d122845000c9416d894d7c2927149',
      2_128_614,
    ),
    weights: granite(
      'onnx/model_quantized.onnx',
      'a3fad524afc3f060216a8ddbb1ac89c9b6498fba8995b5718bde879076a2e9ba',
      598_902,
    ),
    tensors: granite(
      'onnx/model_quantized.onnx_data',
      '1f4cf47e4adec7f7ae09db03d071ba8667e07f9a4203142c7efa8d37fe453597',
      51_885_568,
    ),
  },
]

/**
 * Returns the model with a configured name. The name may omit the owner, and case does not matter.
 * @throws OgError if the name is unknown
 */
export function findModel(id: string): Model {
  const requested = id.trim().toLowerCase()
  const model = models.find((model) => {
    const name = model.id.toLowerCase()
    return name === requested || name.endsWith(`/${requested}`)
  })
  if (model !== undefined) return model
  const ids = models.map((model) => model.id).join(', ')
  throw new OgError(`Cannot use embedding model "${id}": the built-in models are ${ids}`, {
    hint: 'set embeddings.embedding_model to one, or embeddings.embedding_backend to openai',
  })
}

/** Returns the download size in bytes of a model's int8 weights and tokenizer. */
export function modelSize({
  tokenizer,
  weights,
  tensors,
}: Pick<Model, 'tokenizer' | 'weights' | 'tensors'>): number {
  return tokenizer.sizeBytes + weights.sizeBytes + (tensors?.sizeBytes ?? 0)
}

/** Returns the model with this fingerprint, or undefined if it is not one of `models`. */
export function modelOf(fingerprint: Fingerprint): Model | undefined {
  return models.find((model) => Bun.deepEquals(fingerprintOf(model), fingerprint))
}

export function fingerprintOf(model: Model): Fingerprint {
  const { id, dimensions, pooling, queryPrefix } = model
  return { model: id, dimensions, pooling, queryPrefix }
}
