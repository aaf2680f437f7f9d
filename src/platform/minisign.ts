import {
  createHash,
  createPublicKey,
  verify,
  type KeyObject,
  createPrivateKey,
  generateKeyPairSync,
  randomBytes,
  sign,
} from 'node:crypto'
import { OgError } from './error.ts'

type MinisignKey = { id: Buffer; key: KeyObject }

/**
 * Reads a minisign public key: the text of a `.pub` file, or only its second line.
 * @throws OgError if the text is not such a key
 */
export function parsePublicKey(text: string): MinisignKey {
  const bytes = Buffer.from(text.trim().split('\n').at(-1)!.trim(), 'base64')
  if (bytes.length !== 42 || bytes.toString('latin1', 0, 2) !== 'Ed') {
    throw new OgError('Cannot read the public key: it is not a minisign key', {
      hint: 'it is one line of 56 characters that begins with RW',
    })
  }
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: bytes.subarray(10).toString('base64url') }
  return { id: bytes.subarray(2, 10), key: createPublicKey({ key: jwk, format: 'jwk' }) }
}

/**
 * Verifies a minisign signature (algorithm `ED`: Ed25519 over the BLAKE2b-512 of the content) and
 * the second signature, over the trusted comment. See
 * https://jedisct1.github.io/minisign/#signature-format
 * @returns the trusted comment
 * @throws OgError if the signature is malformed, from a different key, or for different content
 */
export function verifyMinisign(
  content: Uint8Array,
  signature: string,
  { id, key }: MinisignKey,
): string {
  const [, first = '', comment = '', second = ''] = signature.split(/\r?\n/)
  const [signatureBytes, over] = [Buffer.from(first, 'base64'), Buffer.from(second, 'base64')]
  const isSignature =
    signatureBytes.length === 74 &&
    over.length === 64 &&
    signatureBytes.toString('latin1', 0, 2) === 'ED' &&
    comment.startsWith(commentLabel)
  if (!isSignature) throw refusal('it is not a minisign signature')
  if (!signatureBytes.subarray(2, 10).equals(id)) throw refusal('it was made with another key')
  const trustedComment = comment.slice(commentLabel.length)
  const hash = createHash('blake2b512').update(content).digest()
  if (!verify(null, hash, key, signatureBytes.subarray(10)))
    throw refusal('the content was changed')
  const both = Buffer.concat([signatureBytes.subarray(10), Buffer.from(trustedComment)])
  if (!verify(null, both, key, over)) throw refusal('its comment was changed')
  return trustedComment
}

const commentLabel = 'trusted comment: '

function refusal(why: string): OgError {
  return new OgError(`Cannot trust the signature: ${why}`, {
    hint: 'download it again from the address of the release',
  })
}

/** A minisign secret key without a password; `seed` determines the Ed25519 private key. */
export type MinisignSecret = { id: string; publicKey: Buffer; seed: Buffer }

/**
 * Signs content by its BLAKE2b-512 hash, as minisign does, and returns the text of the `.minisig`
 * file. `comment` is a single line that the signature covers too.
 */
export function signIndex(
  secret: MinisignSecret,
  content: Uint8Array,
  { comment }: { comment: string },
): string {
  const key = createPrivateKey({ key: pkcs8(secret.seed), format: 'der', type: 'pkcs8' })
  const signed = sign(null, createHash('blake2b512').update(content).digest(), key)
  const overall = sign(null, Buffer.concat([signed, Buffer.from(comment)]), key)
  return [
    `untrusted comment: signature from og, key ${secret.id}`,
    Buffer.concat([Buffer.from('ED'), idBytes(secret.id), signed]).toString('base64'),
    commentLabel + comment,
    overall.toString('base64'),
    '',
  ].join('\n')
}

/** Creates a new key pair. Returns the texts of the two files that `minisign -G -W` writes. */
export function newMinisignKeys(): { publicKey: string; secretKey: string } {
  const { privateKey } = generateKeyPairSync('ed25519')
  const seed = privateKey.export({ format: 'der', type: 'pkcs8' }).subarray(-32)
  const key = { id: idOf(randomBytes(8)), publicKey: publicKeyOf(seed) }
  // A key without a password has zeros for the key derivation function and the checksum.
  const head = Buffer.concat([Buffer.from('Ed\0\0B2', 'latin1'), Buffer.alloc(48)])
  const secret = Buffer.concat([head, idBytes(key.id), seed, key.publicKey, Buffer.alloc(32)])
  return {
    publicKey: publicKeyText(key),
    secretKey: `untrusted comment: minisign secret key ${key.id}\n${secret.toString('base64')}\n`,
  }
}

/**
 * Reads a secret key without a password, in the format of `minisign -G -W`.
 * @throws OgError if the key is invalid or has a password; the message contains no part of the key
 */
export function parseSecretKey(text: string): MinisignSecret {
  const refused = (why: string, hint: string) =>
    new OgError(`Cannot read secret key: ${why}`, { hint })
  const bytes = decodeBase64(keyLine(text), 158)
  if (bytes === null || bytes.toString('latin1', 0, 2) !== 'Ed') {
    throw refused('it is not a key of minisign', '"og registry key FILE" makes one')
  }
  if (bytes.toString('latin1', 2, 4) !== '\0\0') {
    throw refused('it has a password', '"minisign -C -W -s FILE" removes it')
  }
  const [id, seed, publicKey] = [
    bytes.subarray(54, 62),
    bytes.subarray(62, 94),
    bytes.subarray(94, 126),
  ]
  if (!publicKey.equals(publicKeyOf(seed))) {
    throw refused('its two halves do not match', 'it was changed: restore it from a backup')
  }
  return { id: idOf(id), seed, publicKey }
}

export function publicKeyText({ id, publicKey }: Pick<MinisignSecret, 'id' | 'publicKey'>): string {
  const bytes = Buffer.concat([Buffer.from('Ed'), idBytes(id), publicKey])
  return `untrusted comment: minisign public key ${id}\n${bytes.toString('base64')}\n`
}

function keyLine(text: string): string {
  const lines = text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '')
  return lines.find((line) => !line.startsWith('untrusted comment:')) ?? ''
}

/** Decodes canonical base64 of exactly this many bytes. Returns null for any other text. */
function decodeBase64(line: string, nBytes: number): Buffer | null {
  const bytes = Buffer.from(line, 'base64')
  return bytes.length === nBytes && bytes.toString('base64') === line ? bytes : null
}

/** Formats the id as minisign does: the eight bytes as one little-endian number. */
function idOf(bytes: Buffer): string {
  return Buffer.from(bytes).reverse().toString('hex').toUpperCase()
}

function idBytes(id: string): Buffer {
  return Buffer.from(id, 'hex').reverse()
}

/** Adds the DER prefix of a private key (RFC 8410) to its 32 bytes. */
function pkcs8(seed: Buffer): Buffer {
  return Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed])
}

function publicKeyOf(seed: Buffer): Buffer {
  const key = createPrivateKey({ key: pkcs8(seed), format: 'der', type: 'pkcs8' })
  return createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-32)
}
