/** A small encoder with random weights, and a plain float64 version of its computation. */
import type { Tensor } from '../../../scripts/model/onnx-graph.ts'
import type { EncoderWeights } from '../../../scripts/model/quantise.ts'

export const shape = { layers: 2, heads: 2, hidden: 64, inner: 128, vocabulary: 50, positions: 80 }

/** Returns the same weights for the same seed. */
export function randomWeights(seed: number, sizes = shape): EncoderWeights {
  const known = new Map<string, Tensor>()
  const kept = (name: string, dims: number[]) => {
    const found = known.get(name)
    if (found !== undefined) return found
    const made = { dims, values: randomValues(`${seed} ${name}`, dims, name) }
    known.set(name, made)
    return made
  }
  const { layers, hidden, inner, vocabulary, positions } = sizes
  const dims: Record<string, number[]> = {
    'embeddings.word_embeddings.weight': [vocabulary, hidden],
    'embeddings.position_embeddings.weight': [positions, hidden],
    'embeddings.token_type_embeddings.weight': [2, hidden],
  }
  return {
    layers,
    tensor: (name) => kept(name, dims[name] ?? [name.includes('intermediate') ? inner : hidden]),
    matrix(node) {
      const sizes = node.includes('intermediate')
        ? [hidden, inner]
        : node.endsWith('/output/dense') && !node.includes('attention')
          ? [inner, hidden]
          : [hidden, hidden]
      return kept(node, sizes)
    },
  }
}

function randomValues(seed: string, dims: number[], name: string): Float32Array {
  let state = Number(Bun.hash.crc32(seed)) || 1
  const next = () => {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9
    return ((state >>> 0) / 2 ** 32) * 2 - 1
  }
  const isGain = name.endsWith('LayerNorm.weight')
  const scale = dims.length === 2 ? 2 / Math.sqrt(dims[0]!) : 0.1
  const length = dims.reduce((product, dim) => product * dim, 1)
  return new Float32Array(length).map(() => (isGain ? 1 + 0.2 * next() : scale * next()))
}

/**
 * Computes the pooled row of one text; BERT as in Devlin et al. 2018, with post-norm and exact
 * GELU.
 */
export function encodeReference(
  weights: EncoderWeights,
  ids: number[],
  pooling: 'cls' | 'mean',
): Float64Array {
  const { tensor, matrix } = weights
  const row = (name: string, i: number) =>
    tensor(name).values.slice(i * shape.hidden, (i + 1) * shape.hidden)
  const types = row('embeddings.token_type_embeddings.weight', 0)
  let states: Float64Array[] = ids.map((id, position) => {
    const word = row('embeddings.word_embeddings.weight', id)
    const place = row('embeddings.position_embeddings.weight', position)
    return Float64Array.from(word, (x, i) => x + place[i]! + types[i]!)
  })
  const norm = (rows: Float64Array[], name: string) =>
    rows.map((x) => normalised(x, tensor(`${name}.weight`).values, tensor(`${name}.bias`).values))
  states = norm(states, 'embeddings.LayerNorm')
  for (let l = 0; l < weights.layers; l++) {
    const layer = `encoder.layer.${l}`
    const dense = (rows: Float64Array[], node: string) =>
      product(rows, matrix(`layer.${l}/${node}`), tensor(biasOf(layer, node)).values)
    const [q, k, v] = ['query', 'key', 'value'].map((n) => dense(states, `attention/self/${n}`))
    const context = dense(attention(q!, k!, v!), 'attention/output/dense')
    states = norm(sum(states, context), `${layer}.attention.output.LayerNorm`)
    const inner = dense(states, 'intermediate/dense').map((x) => x.map(gelu))
    states = norm(sum(states, dense(inner, 'output/dense')), `${layer}.output.LayerNorm`)
  }
  if (pooling === 'cls') return states[0]!
  return states.reduce((a, b) => a.map((x, i) => x + b[i]!)).map((x) => x / states.length)
}

const biasOf = (layer: string, node: string) => `${layer}.${node.replaceAll('/', '.')}.bias`

function attention(q: Float64Array[], k: Float64Array[], v: Float64Array[]): Float64Array[] {
  const dim = shape.hidden / shape.heads
  return q.map((query) => {
    const out = new Float64Array(shape.hidden)
    for (let from = 0; from < shape.hidden; from += dim) {
      const scores = k.map((key) => dot(query, key, from, dim) / Math.sqrt(dim))
      const top = Math.max(...scores)
      const shares = scores.map((score) => Math.exp(score - top))
      const total = shares.reduce((a, b) => a + b)
      for (let i = from; i < from + dim; i++) {
        out[i] = shares.reduce((a, share, j) => a + share * v[j]![i]!, 0) / total
      }
    }
    return out
  })
}

function product(rows: Float64Array[], { dims, values }: Tensor, bias: Float32Array) {
  const outputs = dims[1]!
  return rows.map((x) =>
    Float64Array.from(bias, (b, j) => x.reduce((a, xi, i) => a + xi * values[i * outputs + j]!, b)),
  )
}

function normalised(x: Float64Array, gain: Float32Array, bias: Float32Array): Float64Array {
  const mean = x.reduce((a, b) => a + b) / x.length
  const variance = x.reduce((a, b) => a + (b - mean) ** 2, 0) / x.length
  return x.map((value, i) => ((value - mean) / Math.sqrt(variance + 1e-12)) * gain[i]! + bias[i]!)
}

function dot(a: Float64Array, b: Float64Array, from: number, length: number): number {
  let sum = 0
  for (let i = from; i < from + length; i++) sum += a[i]! * b[i]!
  return sum
}

const sum = (a: Float64Array[], b: Float64Array[]) =>
  a.map((row, r) => row.map((x, i) => x + b[r]![i]!))

/** x Φ(x) with the error function as a series, exact to 1e-12 for |x| < 6. */
function gelu(x: number): number {
  const z = x / Math.SQRT2
  if (Math.abs(x) > 6) return Math.max(x, 0)
  let term = z
  let series = z
  for (let n = 1; n < 120; n++) {
    term *= (-z * z) / n
    series += term / (2 * n + 1)
  }
  return (x / 2) * (1 + (2 / Math.sqrt(Math.PI)) * series)
}
