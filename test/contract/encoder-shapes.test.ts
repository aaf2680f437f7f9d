import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildKernels } from '../../scripts/build/kernels.ts'
import { quantise } from '../../scripts/model/quantise.ts'
import { openOnnxSession } from '../../src/embed/engine.ts'
import { openEncoder } from '../../src/platform/kernels/encoder.ts'
import { createTempFolder } from '../../src/platform/file/files.ts'
import { loadNatives } from '../../src/platform/native/load.ts'
import { bertOnnx } from '../support/native/bert-onnx.ts'
import { randomWeights } from '../support/native/encoder-reference.ts'

/**
 * Compares the encoder with ONNX Runtime in fp32 on BERT graphs whose sizes differ from the default
 * model's, from the ONNX file through quantisation: the shapes of MiniLM and arctic-embed-xs (6
 * layers), arctic-embed-s (12) and bge-base (hidden size 768), with smaller inner layers and random
 * weights.
 */

const folder = await createTempFolder('encoder-shapes')
const vocabulary = 60
const libraryPath = (await buildKernels()).path!
const bindingPath = await (await loadNatives('', () => {})).onnxruntime()

type Shape = { layers: number; heads: number; hidden: number; inner: number }

async function check(
  sizes: Shape,
  pooling: 'cls' | 'mean',
  { tokenTypes = true }: { tokenTypes?: boolean } = {},
): Promise<void> {
  const weights = randomWeights(3, { ...sizes, vocabulary, positions: 512 })
  const onnx = bertOnnx(weights, { heads: sizes.heads, tokenTypes })
  const name = `${Object.values(sizes).join('-')}-${pooling}`
  const [modelPath, weightsPath] = [join(folder.path, `${name}.onnx`), join(folder.path, name)]
  writeFileSync(modelPath, onnx)
  writeFileSync(weightsPath, quantise(onnx, { heads: sizes.heads, pooling }))
  const { hidden: dimensions } = sizes
  const fp32 = await openOnnxSession({ bindingPath, modelPath, dimensions, pooling, threads: 1 })
  using encoder = openEncoder({ libraryPath, weightsPath, threads: 2 })
  expect(encoder.dimensions).toBe(dimensions)
  const texts = [1, 2, 7, 16, 33, 100, 257].map(text)
  const block = encoder.encode(texts)
  const expected: Float32Array[] = []
  for (const ids of texts) expected.push(Float32Array.from(await fp32.encode(ids)))
  for (const i of texts.keys()) {
    const row = block.subarray(i * dimensions, (i + 1) * dimensions)
    const [own, ...others] = [i, ...texts.keys()].map((at) => cosine(row, expected[at]!))
    expect(own).toBeGreaterThan(0.995)
    expect(others.filter((other) => other >= own!)).toEqual([own!])
  }
}

const text = (length: number) =>
  Array.from({ length }, (_, i) => (i * 31 + length * 17 + ((i * i) % 7)) % vocabulary)

function cosine(a: Float32Array, b: Float32Array): number {
  const dot = (x: Float32Array, y: Float32Array) => x.reduce((sum, it, i) => sum + it * y[i]!, 0)
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b))
}

test('matches ONNX Runtime with six layers and mean pooling', () =>
  check({ layers: 6, heads: 12, hidden: 384, inner: 768 }, 'mean'))

test('matches ONNX Runtime with twelve layers and the first token as embedding', () =>
  check({ layers: 12, heads: 12, hidden: 384, inner: 384 }, 'cls'))

test('matches ONNX Runtime with a hidden size of 768 and heads of 64', () =>
  check({ layers: 3, heads: 12, hidden: 768, inner: 1536 }, 'cls'))

test('matches ONNX Runtime on a graph without token types', () =>
  check({ layers: 1, heads: 4, hidden: 128, inner: 256 }, 'mean', { tokenTypes: false }))
