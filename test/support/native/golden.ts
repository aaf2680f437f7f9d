import { join, resolve } from 'node:path'
import { readFileSync } from 'node:fs'
import { defaultModel, fingerprintOf } from '../../../src/embed/models.ts'
import { fp32Weights } from '../../../scripts/model/model.ts'
import type { BuiltinOptions } from '../../../src/embed/builtin.ts'
import { loadNatives } from '../../../src/platform/native/load.ts'

/** The embedding that ONNX Runtime in Python computes for the text; see golden-embeddings.py. */
export type Golden = {
  text: string
  isQuery: boolean
  /** The text, after the model's prefix if it is a query. */
  input: string
  nTokens: number
  firstIds: number[]
  int8: Float32Array
  fp32: Float32Array
}

export const golden: Golden[] = rows().map((row) => ({
  ...row,
  input: (row.isQuery ? defaultModel.queryPrefix : '') + row.text,
  int8: floats(row.int8),
  fp32: floats(row.fp32),
}))

const folder = resolve(import.meta.dir, '..', '..', '..', 'build', 'model')

/**
 * The build writes these files, but only `scripts/model/model.ts --fp32` writes the unquantised one.
 */
export const modelFiles = {
  int8: join(folder, defaultModel.weights.name),
  encoder: join(folder, defaultModel.encoder.name),
  fp32: join(folder, fp32Weights.name),
  tokenizer: join(folder, defaultModel.tokenizer.name),
}

/** Returns the options that open the embedder with these weights. */
export async function builtinOptions(modelPath: string): Promise<BuiltinOptions> {
  const natives = await loadNatives('', () => {})
  return {
    bindingPath: await natives.onnxruntime(),
    kernelsPath: natives.kernels,
    modelPath,
    tokenizerPath: modelFiles.tokenizer,
    fingerprint: fingerprintOf(defaultModel),
    encoderPath: null,
    engine: 'onnx',
    maxTokens: defaultModel.maxTokens,
  }
}

export function cosine(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, i) => sum + value * b[i]!, 0)
}

type Row = Omit<Golden, 'input' | 'int8' | 'fp32'> & { int8: string; fp32: string }

function rows(): Row[] {
  const path = resolve(import.meta.dir, '..', '..', 'fixtures', 'golden-embeddings.json')
  return JSON.parse(readFileSync(path, 'utf8'))
}

function floats(base64: string): Float32Array {
  return new Float32Array(new Uint8Array(Buffer.from(base64, 'base64')).buffer)
}
