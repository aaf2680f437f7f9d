import { pipeline, Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { NetworkError, printableUrl } from './http.ts'

/**
 * Decodes a body according to its content-encoding, piece by piece, so that the reader can stop at
 * a limit.
 * @throws NetworkError if the body does not match its encoding
 */
export async function* decodePieces(
  pieces: AsyncIterable<Uint8Array>,
  place: { encoding: string | null; url: string },
): AsyncGenerator<Uint8Array> {
  const encoding = place.encoding?.trim().toLowerCase() || 'identity'
  if (encoding === 'identity') return yield* pieces
  const open = decoders[encoding]
  if (!open) throw encodingError(place.url, `its encoding "${encoding}" is not known`)
  try {
    yield* throughStream(pieces, open)
  } catch (error) {
    if (!isDecoding(error)) throw error
    throw encodingError(place.url, `its body is not the ${encoding} that it says`)
  }
}

/** Decompresses a body that starts like gzip. Passes on other bodies unchanged. */
export async function* unzipPieces(
  pieces: AsyncIterable<Uint8Array>,
  url: string,
): AsyncGenerator<Uint8Array> {
  const iterator = pieces[Symbol.asyncIterator]()
  const head: Uint8Array[] = []
  for (let length = 0; length < 2; ) {
    const { done, value } = await iterator.next()
    if (done) break
    head.push(value)
    length += value.length
  }
  const start = Buffer.concat(head)
  const isGzip = start[0] === 0x1f && start[1] === 0x8b
  const rest = { [Symbol.asyncIterator]: () => iterator }
  const whole = (async function* () {
    yield start
    yield* rest
  })()
  yield* decodePieces(whole, { encoding: isGzip ? 'gzip' : null, url })
}

/** Passes on the pieces. Throws `refuse`'s error if they exceed the limit. */
export async function* limitBytes(
  pieces: AsyncIterable<Uint8Array>,
  sizeBytes: number,
  refuse: () => Error,
): AsyncGenerator<Uint8Array> {
  let length = 0
  for await (const piece of pieces) {
    length += piece.length
    if (length > sizeBytes) throw refuse()
    yield piece
  }
}

const decoders: Record<string, () => NodeJS.ReadWriteStream & AsyncIterable<Uint8Array>> = {
  // zstd is missing, because its decoder reports no error for a truncated body.
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
}

async function* throughStream(
  pieces: AsyncIterable<Uint8Array>,
  open: (typeof decoders)[string],
): AsyncGenerator<Uint8Array> {
  const decoder = open()
  // An error at either end destroys the decoder, and reading from the decoder throws that error.
  pipeline(Readable.from(pieces), decoder, () => {})
  yield* decoder
}

function isDecoding(error: unknown): boolean {
  return /^(Z_|ERR_BROTLI|ERR__ERROR)/.test(String((error as { code?: unknown }).code))
}

function encodingError(url: string, reason: string): NetworkError {
  return new NetworkError(`Cannot fetch "${printableUrl(url)}": ${reason}`, { isTransient: false })
}
