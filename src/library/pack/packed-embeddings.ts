/** Number format of embeddings. `none` means that the pack has no embeddings. */
export type VectorFormat = 'f32' | 'f16' | 'int8' | 'none'

export const vectorFormats: readonly VectorFormat[] = ['f32', 'f16', 'int8', 'none']

/** Part of a SHA-256 that links an embedding to its chunk. It suffices for millions of chunks. */
const keyBytes = 8

const widths: Record<VectorFormat, number> = { f32: 4, f16: 2, int8: 1, none: 0 }

/** Maximum deviation of an embedding's length from 1. f16 changes it by up to 0.0001. */
const tolerance = 0.01

export function bytesPerEmbedding(kind: VectorFormat, dimensions: number): number {
  return keyBytes + dimensions * widths[kind]
}

/**
 * Encodes embeddings as the content of a member: the keys, 8 bytes each, and then the numbers. All
 * lowest bytes come first, followed by all next higher bytes, because zstd compresses similar
 * adjacent bytes best. For int8, each row is scaled so that its largest number is ±127. The length
 * of a row is always 1 and therefore not stored.
 */
export function packEmbeddings(
  keys: readonly string[],
  block: Float32Array,
  kind: Exclude<VectorFormat, 'none'>,
): Buffer {
  const dimensions = block.length / keys.length
  const numbers =
    kind === 'f32' ? block : kind === 'f16' ? new Float16Array(block) : quantise(block, dimensions)
  const bytes = new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength)
  const head = Buffer.from(keys.join(''), 'hex')
  return Buffer.concat([head, inPlanes(bytes, widths[kind])])
}

export function unpackEmbeddings(
  bytes: Buffer,
  form: { kind: Exclude<VectorFormat, 'none'>; rows: number; dimensions: number },
): { keys: string[]; block: Float32Array } {
  const { kind, rows, dimensions } = form
  if (bytes.length !== rows * bytesPerEmbedding(kind, dimensions))
    throw new Error('it has another length')
  const head = bytes.subarray(0, rows * keyBytes)
  const keys = Array.from({ length: rows }, (_, row) =>
    head.toString('hex', row * keyBytes, (row + 1) * keyBytes),
  )
  const plain = fromPlanes(bytes.subarray(rows * keyBytes), widths[kind])
  const numbers =
    kind === 'f32'
      ? new Float32Array(plain)
      : kind === 'f16'
        ? new Float16Array(plain)
        : new Int8Array(plain)
  const block = new Float32Array(numbers)
  for (let row = 0; row < rows; row++) {
    const embedding = block.subarray(row * dimensions, (row + 1) * dimensions)
    let squares = 0
    for (let i = 0; i < dimensions; i++) squares += embedding[i]! ** 2
    const length = Math.sqrt(squares)
    const isSound = kind === 'int8' ? length > 0 : Math.abs(length - 1) <= tolerance
    // NaN and infinite numbers fail this test too.
    if (!isSound) throw new Error(`an embedding has length ${length} instead of 1`)
    if (kind === 'int8') for (let i = 0; i < dimensions; i++) embedding[i]! /= length
  }
  return { keys, block }
}

function quantise(block: Float32Array, dimensions: number): Int8Array {
  const numbers = new Int8Array(block.length)
  for (let from = 0; from < block.length; from += dimensions) {
    let largest = 0
    for (let i = from; i < from + dimensions; i++) largest = Math.max(largest, Math.abs(block[i]!))
    const scale = 127 / largest
    for (let i = from; i < from + dimensions; i++) numbers[i] = Math.round(block[i]! * scale)
  }
  return numbers
}

function inPlanes(bytes: Uint8Array, width: number): Buffer {
  const count = bytes.length / width
  const planes = Buffer.alloc(bytes.length)
  for (let byte = 0; byte < width; byte++) {
    for (let i = 0; i < count; i++) planes[byte * count + i] = bytes[i * width + byte]!
  }
  return planes
}

function fromPlanes(planes: Uint8Array, width: number): ArrayBuffer {
  const count = planes.length / width
  const bytes = new Uint8Array(planes.length)
  for (let byte = 0; byte < width; byte++) {
    for (let i = 0; i < count; i++) bytes[i * width + byte] = planes[byte * count + i]!
  }
  return bytes.buffer
}
