/**
 * Writes a BERT encoder as an exporter would: an ONNX file whose products are named after their
 * modules (in the wire format of protocol buffers, fields as in onnx.proto; operator set 17).
 */
import type { Tensor } from '../../../scripts/model/onnx-graph.ts'
import type { EncoderWeights } from '../../../scripts/model/quantise.ts'

export type BertOptions = {
  heads: number
  /**
   * Without token types the graph takes only `input_ids` and `attention_mask`, as ModernBERT does.
   */
  tokenTypes?: boolean
}

/** Writes a graph that takes texts of any length and returns `last_hidden_state`. */
export function bertOnnx(weights: EncoderWeights, options: BertOptions): Uint8Array {
  const { tokenTypes = true } = options
  const graph = new Graph()
  const [, hidden = 0] = weights.tensor('embeddings.word_embeddings.weight').dims
  let states = embeddings(graph, weights, tokenTypes)
  for (let i = 0; i < weights.layers; i++) {
    states = layer(graph, weights, { states, index: i, heads: options.heads, hidden })
  }
  graph.node('Identity', [states], 'last_hidden_state')
  const inputs = ['input_ids', 'attention_mask', ...(tokenTypes ? ['token_type_ids'] : [])]
  const body = join([
    ...graph.parts,
    bytesField(2, text('bert')),
    ...inputs.map((name) => bytesField(11, valueInfo(name, int64, ['batch', 'length']))),
    bytesField(12, valueInfo('last_hidden_state', float32, ['batch', 'length', hidden])),
  ])
  return join([numberField(1, 8), bytesField(7, body), bytesField(8, numberField(2, 17))])
}

const float32 = 1
const int64 = 7

function embeddings(graph: Graph, { tensor }: EncoderWeights, tokenTypes: boolean): string {
  const table = (name: string) =>
    graph.weight(
      `embeddings.${name}_embeddings.weight`,
      tensor(`embeddings.${name}_embeddings.weight`),
    )
  const words = graph.node('Gather', [table('word'), 'input_ids'])
  const length = graph.node('Slice', [
    graph.node('Shape', ['input_ids']),
    graph.whole('one', [1]),
    graph.whole('two', [2]),
  ])
  const places = graph.node('Slice', [table('position'), graph.whole('zero', [0]), length])
  const types = graph.node('Gather', [
    table('token_type'),
    tokenTypes ? 'token_type_ids' : graph.whole('type', [0]),
  ])
  const sum = graph.node('Add', [graph.node('Add', [words, places]), types])
  return norm(graph, sum, { tensor, name: 'embeddings.LayerNorm' })
}

type At = { states: string; index: number; heads: number; hidden: number }

/** One layer as in Devlin et al. 2018: post-norm, GELU by the error function. */
function layer(graph: Graph, weights: EncoderWeights, at: At): string {
  const { tensor, matrix } = weights
  const { states, index, heads, hidden } = at
  const module = `encoder.layer.${index}`
  const dense = (input: string, name: string) => {
    const node = `layer.${index}/${name}`
    const product = graph.node(
      'MatMul',
      [input, graph.weight(`onnx::${node}`, matrix(node))],
      `/encoder/${node}/MatMul_output_0`,
    )
    const bias = `${module}.${name.replaceAll('/', '.')}.bias`
    return graph.node('Add', [product, graph.weight(bias, tensor(bias))])
  }
  const split = (name: string, order: number[]) => {
    const sizes = graph.whole('heads', [0, 0, heads, hidden / heads])
    const apart = graph.node('Reshape', [dense(states, `attention/self/${name}`), sizes])
    return graph.node('Transpose', [apart], { perm: order })
  }
  const scores = graph.node('MatMul', [split('query', [0, 2, 1, 3]), split('key', [0, 2, 3, 1])])
  const scaled = graph.node('Mul', [scores, graph.number('scale', Math.sqrt(heads / hidden))])
  const shares = graph.node('Softmax', [scaled], { axis: -1 })
  const mixed = graph.node('MatMul', [shares, split('value', [0, 2, 1, 3])])
  const context = graph.node('Reshape', [
    graph.node('Transpose', [mixed], { perm: [0, 2, 1, 3] }),
    graph.whole('joined', [0, 0, hidden]),
  ])
  const out = dense(context, 'attention/output/dense')
  const middle = norm(graph, graph.node('Add', [states, out]), {
    tensor,
    name: `${module}.attention.output.LayerNorm`,
  })
  const inner = gelu(graph, dense(middle, 'intermediate/dense'))
  const sum = graph.node('Add', [middle, dense(inner, 'output/dense')])
  return norm(graph, sum, { tensor, name: `${module}.output.LayerNorm` })
}

function gelu(graph: Graph, x: string): string {
  const error = graph.node('Erf', [graph.node('Mul', [x, graph.number('inverse', Math.SQRT1_2)])])
  const share = graph.node('Add', [error, graph.number('unit', 1)])
  return graph.node('Mul', [graph.node('Mul', [x, share]), graph.number('half', 0.5)])
}

function norm(
  graph: Graph,
  x: string,
  { tensor, name }: { tensor: EncoderWeights['tensor']; name: string },
): string {
  const [gain, bias] = [`${name}.weight`, `${name}.bias`]
  const inputs = [x, graph.weight(gain, tensor(gain)), graph.weight(bias, tensor(bias))]
  return graph.node('LayerNormalization', inputs, { epsilon: 1e-12 })
}

type Attributes = { perm?: number[]; axis?: number; epsilon?: number }

/** Nodes and tensors in the order of the computation. */
class Graph {
  readonly parts: Uint8Array[] = []
  private readonly tensors = new Set<string>()
  private made = 0

  node(type: string, inputs: string[], more: Attributes | string = {}): string {
    const output = typeof more === 'string' ? more : `made_${this.made++}`
    const attributes = typeof more === 'string' ? {} : more
    this.parts.push(
      bytesField(
        1,
        join([
          ...inputs.map((name) => bytesField(1, text(name))),
          bytesField(2, text(output)),
          bytesField(4, text(type)),
          ...Object.entries(attributes).map(([name, value]) =>
            bytesField(5, attribute(name, value)),
          ),
        ]),
      ),
    )
    return output
  }

  weight(name: string, { dims, values }: Tensor): string {
    return this.tensor(name, { dims, type: float32, values })
  }

  number(name: string, value: number): string {
    return this.tensor(name, { dims: [], type: float32, values: Float32Array.of(value) })
  }

  whole(name: string, values: number[]): string {
    const bytes = BigInt64Array.from(values, BigInt)
    return this.tensor(name, { dims: [values.length], type: int64, values: bytes })
  }

  private tensor(
    name: string,
    { dims, type, values }: { dims: number[]; type: number; values: ArrayBufferView },
  ): string {
    if (this.tensors.has(name)) return name
    this.tensors.add(name)
    this.parts.push(
      bytesField(
        5,
        join([
          ...dims.map((dim) => numberField(1, dim)),
          numberField(2, type),
          bytesField(8, text(name)),
          bytesField(9, new Uint8Array(values.buffer, values.byteOffset, values.byteLength)),
        ]),
      ),
    )
    return name
  }
}

/** AttributeProto: name 1, f 2, i 3, ints 8, type 20 (1 float, 2 int, 7 ints). */
function attribute(name: string, value: number | number[]): Uint8Array {
  const named = bytesField(1, text(name))
  if (typeof value !== 'number') {
    return join([named, ...value.map((one) => numberField(8, one)), numberField(20, 7)])
  }
  if (Number.isInteger(value)) return join([named, numberField(3, value), numberField(20, 2)])
  const float = new Uint8Array(Float32Array.of(value).buffer)
  return join([named, Uint8Array.of((2 << 3) | 5), float, numberField(20, 1)])
}

/** ValueInfoProto: name 1, type 2; a dimension has a value (1) or a name (2). */
function valueInfo(name: string, type: number, dims: (number | string)[]): Uint8Array {
  const shape = join(
    dims.map((dim) =>
      bytesField(1, typeof dim === 'number' ? numberField(1, dim) : bytesField(2, text(dim))),
    ),
  )
  const tensor = join([numberField(1, type), bytesField(2, shape)])
  return join([bytesField(1, text(name)), bytesField(2, bytesField(1, tensor))])
}

function bytesField(field: number, content: Uint8Array): Uint8Array {
  return join([varint((field << 3) | 2), varint(content.length), content])
}

const numberField = (field: number, value: number) => join([varint(field << 3), varint(value)])

function varint(value: number): Uint8Array {
  const bytes: number[] = []
  let rest = BigInt.asUintN(64, BigInt(value))
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128)
  return Uint8Array.from([...bytes, Number(rest)])
}

const text = (value: string) => new TextEncoder().encode(value)

function join(parts: Uint8Array[]): Uint8Array {
  const out = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    out.set(part, at)
    at += part.length
  }
  return out
}
