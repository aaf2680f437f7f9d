/** float32, row-major. */
export type Tensor = { dims: number[]; values: Float32Array }
export type Node = { inputs: string[]; output: string }

/**
 * Reads the float32 tensors and the nodes of an ONNX file for quantising. Parses the wire format of
 * protocol buffers; fields are as in onnx.proto (ModelProto.graph 7; GraphProto.node 1, initializer
 * 5).
 */
export function readOnnxGraph(bytes: Uint8Array): { tensors: Map<string, Tensor>; nodes: Node[] } {
  const graph = only(bytes, 7)[0]
  if (graph === undefined) throw new Error('it is not an ONNX file: there is no graph')
  const tensors = new Map<string, Tensor>()
  for (const bytes of only(graph, 5)) {
    const { name, tensor } = readTensor(bytes)
    if (tensor !== null) tensors.set(name, tensor)
  }
  const nodes = only(graph, 1).map((node) => ({
    inputs: only(node, 1).map(text),
    output: text(only(node, 2)[0] ?? new Uint8Array()),
  }))
  return { tensors, nodes }
}

const float32 = 1

/** TensorProto: dims 1, data_type 2, name 8, raw_data 9. */
function readTensor(bytes: Uint8Array): { name: string; tensor: Tensor | null } {
  const name = text(only(bytes, 8)[0] ?? new Uint8Array())
  const raw = only(bytes, 9)[0]
  const dims: number[] = []
  let type = 0
  for (const [field, value] of fields(bytes)) {
    if (field === 1) dims.push(...(typeof value === 'number' ? [value] : varints(value)))
    if (field === 2) type = value as number
  }
  if (type !== float32 || raw === undefined) return { name, tensor: null }
  // Copied, because the data in the file is not aligned.
  return { name, tensor: { dims, values: new Float32Array(new Uint8Array(raw).buffer) } }
}

function only(message: Uint8Array, wanted: number): Uint8Array[] {
  const found: Uint8Array[] = []
  for (const [field, value] of fields(message)) {
    if (field === wanted && typeof value !== 'number') found.push(value)
  }
  return found
}

/** Yields field number and value: a number for wire type 0, bytes for all others. */
function* fields(message: Uint8Array): Generator<[number, number | Uint8Array]> {
  const reader = { bytes: message, at: 0 }
  while (reader.at < message.length) {
    const key = varint(reader)
    const wire = key & 7
    if (wire === 0) {
      yield [key >>> 3, varint(reader)]
      continue
    }
    const length = wire === 2 ? varint(reader) : wire === 5 ? 4 : 8
    yield [key >>> 3, message.subarray(reader.at, reader.at + length)]
    reader.at += length
  }
}

function varints(bytes: Uint8Array): number[] {
  const reader = { bytes, at: 0 }
  const found: number[] = []
  while (reader.at < bytes.length) found.push(varint(reader))
  return found
}

function varint(reader: { bytes: Uint8Array; at: number }): number {
  let value = 0
  for (let factor = 1; ; factor *= 128) {
    const byte = reader.bytes[reader.at++]
    if (byte === undefined) throw new Error('it is not an ONNX file: it ends too early')
    value += (byte & 127) * factor
    if (byte < 128) return value
  }
}

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes)
