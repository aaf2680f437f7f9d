import { createHash, createPrivateKey, sign } from 'node:crypto'
import { commentLabel } from '../../src/platform/minisign.ts'

/**
 * A minisign signature of `content`, as `minisign -S` makes it. `secretKey`: the text of a key made
 * by `minisign -G -W`, which has no password. `comment` is signed too.
 * @throws Error where the key is none, or has a password
 */
export function minisign(content: Uint8Array, secretKey: string, comment: string): string {
  const { id, key } = parseSecretKey(secretKey)
  const signed = sign(null, createHash('blake2b512').update(content).digest(), key)
  const over = sign(null, Buffer.concat([signed, Buffer.from(comment)]), key)
  return [
    'untrusted comment: signature of the og release',
    Buffer.concat([Buffer.from('ED'), id, signed]).toString('base64'),
    `${commentLabel}${comment}`,
    `${over.toString('base64')}\n`,
  ].join('\n')
}

/** The public key that belongs to a secret one, as the second line of a `.pub` file. */
export function publicKeyOf(secretKey: string): string {
  const { id, publicBytes } = parseSecretKey(secretKey)
  return Buffer.concat([Buffer.from('Ed'), id, publicBytes]).toString('base64')
}

/** 2 bytes algorithm, 2 of key derivation, 2 checksum, 48 of its salt; id, seed, key, checksum. */
function parseSecretKey(text: string) {
  const bytes = Buffer.from(text.trim().split('\n').at(-1)!.trim(), 'base64')
  if (bytes.length !== 158 || bytes.toString('latin1', 0, 2) !== 'Ed') {
    throw new Error('Cannot sign: OG_SIGNING_KEY is not a minisign secret key')
  }
  if (bytes.readUInt16BE(2) !== 0) {
    throw new Error('Cannot sign: OG_SIGNING_KEY has a password; make one with minisign -G -W')
  }
  const [id, seed, publicBytes] = [
    bytes.subarray(54, 62), bytes.subarray(62, 94), bytes.subarray(94, 126),
  ]
  const jwk = {
    kty: 'OKP', crv: 'Ed25519', d: seed.toString('base64url'), x: publicBytes.toString('base64url'),
  }
  return { id, publicBytes, key: createPrivateKey({ key: jwk, format: 'jwk' }) }
}
