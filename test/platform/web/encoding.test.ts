import { expect, test } from 'bun:test'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { decodePieces, unzipPieces } from '../../../src/platform/web/encoding.ts'

const url = 'https://x.org/a'
const text = 'documentation '.repeat(1000)

/** A body in pieces of this many bytes. */
async function* pieces(body: Uint8Array, size = 7): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < body.length; at += size) yield body.subarray(at, at + size)
}

async function read(all: AsyncIterable<Uint8Array>): Promise<string> {
  return Buffer.concat(await Array.fromAsync(all)).toString()
}

test('decodes a body to its original', async () => {
  const bodies: [string | null, Uint8Array][] = [
    [null, Buffer.from(text)],
    [' identity ', Buffer.from(text)],
    ['GZIP', gzipSync(text)],
    ['x-gzip', gzipSync(text)],
    ['deflate', deflateSync(text)],
    ['br', brotliCompressSync(text)],
  ]
  for (const [encoding, body] of bodies) {
    expect(await read(decodePieces(pieces(body), { encoding, url }))).toBe(text)
  }
})

test('reports the URL of a truncated or wrongly encoded body', async () => {
  const body = gzipSync(text)
  const faulty: [string, Uint8Array][] = [
    ['gzip', Buffer.from('plain')],
    ['gzip', body.subarray(0, -9)],
    ['br', Buffer.from(text)],
  ]
  for (const [encoding, part] of faulty) {
    expect(read(decodePieces(pieces(part), { encoding, url }))).rejects.toThrow(
      `"${url}": its body is not the ${encoding} that it says`,
    )
  }
  expect(read(decodePieces(pieces(body), { encoding: 'zstd', url }))).rejects.toThrow('not known')
})

test('stops reading when the reader stops', async () => {
  let given = 0
  async function* endless(): AsyncGenerator<Uint8Array> {
    for (;;) {
      given++
      yield new Uint8Array(1000)
    }
  }
  for await (const _ of decodePieces(endless(), { encoding: null, url })) if (given > 3) break
  expect(given).toBe(4)
})

test('decompresses a gzip body, and passes other bodies through', async () => {
  expect(await read(unzipPieces(pieces(gzipSync(text), 1), url))).toBe(text)
  for (const plain of ['', 'a', 'ab', text]) {
    expect(await read(unzipPieces(pieces(Buffer.from(plain), 1), url))).toBe(plain)
  }
})
