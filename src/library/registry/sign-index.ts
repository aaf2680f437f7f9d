import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  randomBytes,
  sign,
} from 'node:crypto'
import { OgError } from '../../platform/error.ts'
import { commentLabel } from '../../platform/minisign.ts'

/** A secret key of minisign that has no password; `seed` makes the private key of Ed25519. */
export type MinisignSecret = {
  /** 16 hexadecimal digits, as minisign shows it. */
  id: string
  /** 32 bytes each. */
  publicKey: Buffer
  seed: Buffer
}

/**
 * The text of a `.minisig` file over this content, by its BLAKE2b-512, as minisign makes it.
 * `comment` is one line, and signed too.
 */
export function signedBy(
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

/** A new pair of keys, as the texts of the files that `minisign -G -W` writes. */
export function newMinisignKeys(): { publicKey: string; secretKey: string } {
  const { privateKey } = generateKeyPairSync('ed25519')
  const seed = privateKey.export({ format: 'der', type: 'pkcs8' }).subarray(-32)
  const key = { id: idOf(randomBytes(8)), publicKey: publicKeyOf(seed) }
  // No function that makes a key of a password, and no checksum, which is of the password too.
  const head = Buffer.concat([Buffer.from('Ed\0\0B2', 'latin1'), Buffer.alloc(48)])
  const secret = Buffer.concat([head, idBytes(key.id), seed, key.publicKey, Buffer.alloc(32)])
  return {
    publicKey: publicKeyText(key),
    secretKey: `untrusted comment: minisign secret key ${key.id}\n${secret.toString('base64')}\n`,
  }
}

/**
 * Reads a secret key that has no password, as `minisign -G -W` writes it.
 * @throws OgError where it is none, or has a password; nothing of the key is in the message
 */
export function parseSecretKey(text: string): MinisignSecret {
  const refused = (why: string, hint: string) =>
    new OgError(`Cannot read secret key: ${why}`, { hint })
  const bytes = decoded(keyLine(text), 158)
  if (bytes === null || bytes.toString('latin1', 0, 2) !== 'Ed') {
    throw refused('it is no key of minisign', '"og registry key FILE" makes one')
  }
  if (bytes.toString('latin1', 2, 4) !== '\0\0') {
    throw refused('it has a password', '"minisign -C -W -s FILE" takes it off')
  }
  const [id, seed, publicKey] = [
    bytes.subarray(54, 62),
    bytes.subarray(62, 94),
    bytes.subarray(94, 126),
  ]
  if (!publicKey.equals(publicKeyOf(seed))) {
    throw refused('its two halves do not belong together', 'it was changed: take it from a backup')
  }
  return { id: idOf(id), seed, publicKey }
}

/** The text of the file `minisign.pub`. */
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

/** Base64 of just so many bytes, written as it is written; else null. */
function decoded(line: string, nBytes: number): Buffer | null {
  const bytes = Buffer.from(line, 'base64')
  return bytes.length === nBytes && bytes.toString('base64') === line ? bytes : null
}

/** minisign shows the eight bytes as one little-endian number. */
function idOf(bytes: Buffer): string {
  return Buffer.from(bytes).reverse().toString('hex').toUpperCase()
}

function idBytes(id: string): Buffer {
  return Buffer.from(id, 'hex').reverse()
}

/** RFC 8410: what stands before the 32 bytes in DER. */
function pkcs8(seed: Buffer): Buffer {
  return Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed])
}

function publicKeyOf(seed: Buffer): Buffer {
  const key = createPrivateKey({ key: pkcs8(seed), format: 'der', type: 'pkcs8' })
  return createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-32)
}
