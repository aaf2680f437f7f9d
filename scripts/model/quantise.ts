/**
 * Makes the weight file for `native/encoder.c` from a BERT encoder in fp32 ONNX. The same input
 * always produces the same bytes: `bun scripts/model/quantise.ts MODEL.onnx OUT [--heads N]
 * [--pooling cls|mean]`.
 *
 * Matrices become int8 with one scale per output channel, word embeddings become int8 with one
 * scale per word, both symmetric (largest absolute value = 127); everything else stays float32.
 * native/README.md describes the layout.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { readOnnxGraph, type Tensor } from './onnx-graph.ts'

export type EncoderShape = {
  layers: number
  heads: number
  hidden: number
  inner: number
  vocabulary: number
  positions: number
  pooling: 'cls' | 'mean'
}

const headerBytes = 64
const version = 2
const layerNormEpsilon = 1e-12

/** Returns the weight file. @throws Error with the name of a missing tensor */
export function quantise(
  onnx: Uint8Array,
  options: { heads: number; pooling: 'cls' | 'mean' },
): Uint8Array {
  return weightFile(encoderWeights(onnx), options)
}

/** Like `quantise`, but for weights that are already parsed. */
export function weightFile(
  weights: EncoderWeights,
  options: { heads: number; pooling: 'cls' | 'mean' },
): Uint8Array {
  const shape = shapeOf(weights, options)
  const parts = payloadParts(weights, shape)
  const payload = new Uint8Array(parts.reduce((sum, part) => sum + padded(part.byteLength), 0))
  let at = 0
  for (const part of parts) {
    payload.set(new Uint8Array(part.buffer, part.byteOffset, part.byteLength), at)
    at += padded(part.byteLength)
  }
  const file = new Uint8Array(headerBytes + payload.length)
  file.set(headerOf(shape, payload))
  file.set(payload, headerBytes)
  return file
}

/**
 * `tensor` finds a tensor by the name of its module, such as `encoder.layer.0.output.dense.bias`.
 * `matrix` finds an inputs × outputs matrix by its place in the graph, such as
 * `layer.0/output/dense`.
 */
export type EncoderWeights = {
  tensor(name: string): Tensor
  matrix(node: string): Tensor
  layers: number
}

/**
 * Exporters name biases and norms after their module, but give matrices arbitrary names
 * (`onnx::MatMul_1525`). Therefore a matrix is found by the output of the node that uses it.
 */
function encoderWeights(onnx: Uint8Array): EncoderWeights {
  const { tensors, nodes } = readOnnxGraph(onnx)
  const tensor = (name: string) => {
    const found = [...tensors].find(([key]) => key === name || key.endsWith(`.${name}`))
    if (found === undefined) throw new Error(`the graph has no tensor ${name}`)
    return found[1]
  }
  const matrix = (node: string) => {
    const path = `/${node}/MatMul_output_0`
    const product = nodes.find(({ output }) => output.endsWith(path))
    const found = product?.inputs.map((name) => tensors.get(name)).find(Boolean)
    if (found === undefined) throw new Error(`the graph has no product ${node}`)
    return found
  }
  const numbers = [...tensors.keys()].map((key) => /encoder\.layer\.(\d+)\./.exec(key)?.[1] ?? -1)
  return { tensor, matrix, layers: Math.max(...numbers.map(Number)) + 1 }
}

function shapeOf(
  { tensor, layers }: EncoderWeights,
  { heads, pooling }: { heads: number; pooling: 'cls' | 'mean' },
): EncoderShape {
  const [vocabulary = 0, hidden = 0] = tensor('embeddings.word_embeddings.weight').dims
  const [positions = 0] = tensor('embeddings.position_embeddings.weight').dims
  const [inner = 0] = tensor('encoder.layer.0.intermediate.dense.bias').dims
  return { layers, heads, hidden, inner, vocabulary, positions, pooling }
}

/** `place_parts` in encoder.c reads the parts in the same order. */
function payloadParts(weights: EncoderWeights, shape: EncoderShape): ArrayBufferView[] {
  const { tensor, matrix } = weights
  const { layers, hidden } = shape
  const words = quantiseRows(tensor('embeddings.word_embeddings.weight').values, hidden, 1)
  const parts: ArrayBufferView[] = [
    words.bytes,
    words.scales,
    tensor('embeddings.position_embeddings.weight').values,
    tensor('embeddings.token_type_embeddings.weight').values.slice(0, hidden),
    tensor('embeddings.LayerNorm.weight').values,
    tensor('embeddings.LayerNorm.bias').values,
  ]
  for (let i = 0; i < layers; i++) {
    const layer = `encoder.layer.${i}`
    const node = `layer.${i}`
    const joined = ['query', 'key', 'value'].map((name) => ({
      weight: matrix(`${node}/attention/self/${name}`),
      bias: tensor(`${layer}.attention.self.${name}.bias`),
    }))
    const dense = (name: string) => ({
      weight: matrix(`${node}/${name.replaceAll('.', '/')}`),
      bias: tensor(`${layer}.${name}.bias`),
    })
    const norm = (name: string) => [
      tensor(`${layer}.${name}.LayerNorm.weight`).values,
      tensor(`${layer}.${name}.LayerNorm.bias`).values,
    ]
    parts.push(...matrixParts(joined), ...matrixParts([dense('attention.output.dense')]))
    parts.push(...norm('attention.output'))
    parts.push(...matrixParts([dense('intermediate.dense')]))
    parts.push(...matrixParts([dense('output.dense')]))
    parts.push(...norm('output'))
  }
  return parts
}

/**
 * Puts matrices side by side: packed bytes, scales, biases, and 128 × the sum of each output's
 * bytes.
 */
function matrixParts(matrices: { weight: Tensor; bias: Tensor }[]): ArrayBufferView[] {
  const inputs = matrices[0]!.weight.dims[0]!
  const rows = concatenated(matrices.map(({ weight }) => transposed(weight)))
  const { bytes, scales } = quantiseRows(rows, inputs, 2)
  const zeros = Int32Array.from(
    scales,
    (_, row) =>
      128 * bytes.subarray(row * inputs, (row + 1) * inputs).reduce((sum, byte) => sum + byte, 0),
  )
  const bias = concatenated(matrices.map((one) => one.bias.values))
  return [packed(bytes, inputs), scales, bias, zeros]
}

/**
 * With a `group` of two, neighbouring numbers of equal sign add up to at most 127, or to 128 if
 * both are rounded up: two products with bytes from 0 to 255 then fit into 16 bits.
 */
function quantiseRows(values: Float32Array, length: number, group: 1 | 2) {
  const bytes = new Int8Array(values.length)
  const scales = new Float32Array(values.length / length)
  for (let row = 0; row < scales.length; row++) {
    const from = row * length
    let top = 0
    for (let i = from; i < from + length; i += group) {
      const x = values[i]!
      const next = group === 2 ? values[i + 1]! : 0
      const sum = x * next > 0 ? Math.abs(x + next) : 0
      top = Math.max(top, Math.abs(x), Math.abs(next), sum)
    }
    scales[row] = top / 127
    for (let i = 0; i < length && top > 0; i++) {
      bytes[from + i] = Math.round((values[from + i]! / top) * 127)
    }
  }
  return { bytes, scales }
}

/** Packs into panels of 16 outputs, each with lines of 16 outputs × 4 inputs. */
function packed(rows: Int8Array, inputs: number): Int8Array {
  // Four bytes at once.
  const words = new Int32Array(rows.buffer, rows.byteOffset, rows.length / 4)
  const out = new Int32Array(words.length)
  const length = inputs / 4
  let at = 0
  for (let panel = 0; panel < words.length; panel += 16 * length) {
    for (let i = 0; i < length; i++) {
      for (let output = 0; output < 16; output++) out[at++] = words[panel + output * length + i]!
    }
  }
  return new Int8Array(out.buffer)
}

/** inputs × outputs → outputs × inputs. */
function transposed({ dims: [inputs = 0, outputs = 0], values }: Tensor): Float32Array {
  const out = new Float32Array(values.length)
  for (let i = 0; i < inputs; i++) {
    for (let j = 0; j < outputs; j++) out[j * inputs + i] = values[i * outputs + j]!
  }
  return out
}

function concatenated(arrays: Float32Array[]): Float32Array {
  const out = new Float32Array(arrays.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const array of arrays) {
    out.set(array, at)
    at += array.length
  }
  return out
}

function headerOf(shape: EncoderShape, payload: Uint8Array): Uint8Array {
  const header = new Uint8Array(headerBytes)
  const view = new DataView(header.buffer)
  header.set(new TextEncoder().encode('OGENCODE'))
  const { layers, heads, hidden, inner, vocabulary, positions, pooling } = shape
  const numbers = [version, layers, heads, hidden, inner, vocabulary, positions]
  numbers.push(pooling === 'cls' ? 0 : 1)
  numbers.forEach((number, i) => view.setUint32(8 + 4 * i, number, true))
  view.setFloat32(40, layerNormEpsilon, true)
  view.setUint32(44, checksum(payload), true)
  view.setBigUint64(48, BigInt(payload.length), true)
  return header
}

/** FNV-1a over 32-bit words in 16 parallel lanes, like `checksum_of` in encoder.c. */
export function checksum(payload: Uint8Array): number {
  const words = new Uint32Array(payload.buffer, payload.byteOffset, payload.length / 4)
  const lanes = Uint32Array.from({ length: 16 }, (_, i) => 2166136261 + i)
  for (let i = 0; i < words.length; i++) {
    lanes[i % 16] = Math.imul(lanes[i % 16]! ^ words[i]!, 16777619)
  }
  return lanes.reduce((sum, lane) => Math.imul(sum ^ lane, 16777619), 2166136261 | 0) >>> 0
}

const padded = (bytes: number) => Math.ceil(bytes / 64) * 64

if (import.meta.main) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      heads: { type: 'string', default: '12' },
      pooling: { type: 'string', default: 'cls' },
    },
  })
  const [input = '', output = ''] = positionals
  const pooling = values.pooling === 'mean' ? 'mean' : 'cls'
  const file = quantise(readFileSync(input), { heads: Number(values.heads), pooling })
  writeFileSync(output, file)
}
