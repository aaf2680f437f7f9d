/** Every part of the file starts at a multiple of this many bytes. */
const alignment = 4

/**
 * Serialises arrays of numbers. The file has the header's length (uint32, little-endian), a JSON
 * header with the length of each array in bytes, and the arrays. Yields the parts one by one
 * because joining them would double the memory.
 */
export function* encodeArrayFile(
  head: object,
  arrays: readonly NodeJS.TypedArray[],
): Generator<Buffer> {
  const lengths = arrays.map(({ byteLength }) => byteLength)
  const json = Buffer.from(JSON.stringify({ ...head, lengths }))
  const size = Buffer.alloc(alignment)
  size.writeUInt32LE(json.length)
  for (const part of [size, json, ...arrays.map(bytesOf)]) {
    yield part
    yield Buffer.alloc(-part.length & (alignment - 1))
  }
}

/** Returns the header and the bytes of each array, or null if `format` is not one of `formats`. */
export function decodeArrayFile<Head extends { format: number }>(
  bytes: Buffer,
  formats: readonly number[],
): { head: Head; parts: Buffer[] } | null {
  let at = alignment
  const take = (length: number) => {
    const part = bytes.subarray(at, at + length)
    at += length + (-length & (alignment - 1))
    return part
  }
  const head: Head & { lengths: number[] } = JSON.parse(take(bytes.readUInt32LE()).toString())
  return !formats.includes(head.format) ? null : { head, parts: head.lengths.map(take) }
}

function bytesOf({ buffer, byteOffset, byteLength }: NodeJS.TypedArray): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength)
}

export function numbersAt<Kind>(
  kind: NumbersAt<Kind>,
  { buffer, byteOffset, byteLength }: Buffer,
): Kind {
  if (byteOffset % alignment === 0) {
    return new kind(buffer as ArrayBuffer, byteOffset, byteLength / kind.BYTES_PER_ELEMENT)
  }
  return new kind((buffer as ArrayBuffer).slice(byteOffset, byteOffset + byteLength))
}

type NumbersAt<Kind> = {
  new (buffer: ArrayBuffer, from?: number, length?: number): Kind
  BYTES_PER_ELEMENT: number
}
