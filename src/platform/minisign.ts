import {
  createHash, createPrivateKey, createPublicKey, generateKeyPairSync, randomBytes, sign, verify,
} from 'node:crypto'
import { createReadStream } from 'node:fs'
import { OgError } from './error.ts'

/**
 * minisign's signatures and keys (https://jedisct1.github.io/minisign/), so that its own program
 * verifies what we sign and the other way round. What is signed is the BLAKE2b-512 of a file
 * (algorithm `ED`); signatures over the bytes themselves (`Ed`, before minisign 0.6) are refused.
 */
export type MinisignKey = {
  /** 16 hexadecimal digits, as minisign shows it. */
  id: string
  /** 32 bytes. */
  publicKey: Buffer
}

/** `seed` makes the private key of Ed25519; 32 bytes. */
export type MinisignSecret = MinisignKey & { seed: Buffer }

/** What is signed of a file: 64 bytes. */
export function minisignDigest(content: Uint8Array): Buffer {
  return createHash('blake2b512').update(content).digest()
}

/** The same of a file, read in pieces. */
export async function minisignDigestOfFile(path: string): Promise<Buffer> {
  const hash = createHash('blake2b512')
  for await (const piece of createReadStream(path, { highWaterMark: 1 << 20 })) hash.update(piece)
  return hash.digest()
}

/**
 * Reads a public key: the file `minisign.pub`, or its second line alone.
 * @throws OgError where it is none
 */
export function parsePublicKey(text: string): MinisignKey {
  const bytes = decoded(keyLine(text), 42)
  if (bytes === null || bytes.toString('latin1', 0, 2) !== 'Ed') {
    throw new OgError('Cannot read public key: it is no key of minisign', {
      hint: 'it is one line of 56 characters that begins with RW, or the file minisign.pub',
    })
  }
  return { id: idOf(bytes.subarray(2, 10)), publicKey: bytes.subarray(10) }
}

/**
 * Checks that the signature (the text of a `.minisig` file) is of this digest and by this key.
 * @returns its trusted comment, which is signed too
 * @throws OgError that says what is wrong; `what` names the file
 */
export function verifyMinisign(
  digest: Uint8Array, signature: string, { key, what }: { key: MinisignKey; what: string },
): string {
  const refused = (why: string, hint?: string) =>
    new OgError(`Cannot trust ${what}: ${why}`, { hint })
  const [, line = '', comment = '', global = ''] = signature.split(/\r?\n/)
  const bytes = decoded(line, 74)
  const overall = decoded(global, 64)
  const trusted = /^trusted comment: (.*)$/.exec(comment)?.[1]
  if (bytes === null || overall === null || trusted === undefined) {
    throw refused('its signature is no signature of minisign')
  }
  const algorithm = bytes.toString('latin1', 0, 2)
  if (algorithm !== 'ED') {
    throw refused('its signature is of an old kind', 'sign it with minisign 0.10 or newer')
  }
  const id = idOf(bytes.subarray(2, 10))
  if (id !== key.id) throw refused(`it is signed with key ${id}, not with ${key.id}`)
  const signed = bytes.subarray(10)
  const publicKey = createPublicKey({ key: spki(key.publicKey), format: 'der', type: 'spki' })
  if (!verify(null, digest, publicKey, signed)) {
    throw refused('it is not what was signed', 'it was changed, or cut off on the way')
  }
  if (!verify(null, Buffer.concat([signed, Buffer.from(trusted)]), publicKey, overall)) {
    throw refused('the comment in its signature is not what was signed')
  }
  return trusted
}

/** The text of a `.minisig` file over this digest. `comment` is one line, and signed too. */
export function signMinisign(
  digest: Uint8Array, secret: MinisignSecret, { comment }: { comment: string },
): string {
  const key = createPrivateKey({ key: pkcs8(secret.seed), format: 'der', type: 'pkcs8' })
  const signed = sign(null, digest, key)
  const overall = sign(null, Buffer.concat([signed, Buffer.from(comment)]), key)
  return [
    `untrusted comment: signature from og, key ${secret.id}`,
    Buffer.concat([Buffer.from('ED'), idBytes(secret.id), signed]).toString('base64'),
    `trusted comment: ${comment}`,
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
    secretKey:
      `untrusted comment: minisign secret key ${key.id}\n${secret.toString('base64')}\n`,
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
    throw refused('it is no key of minisign', '"minisign -G -W" makes one')
  }
  if (bytes.toString('latin1', 2, 4) !== '\0\0') {
    throw refused('it has a password', '"minisign -C -W -s FILE" takes it off')
  }
  const [id, seed, publicKey] = [
    bytes.subarray(54, 62), bytes.subarray(62, 94), bytes.subarray(94, 126),
  ]
  if (!publicKey.equals(publicKeyOf(seed))) {
    throw refused('its two halves do not belong together', 'it was changed: take it from a backup')
  }
  return { id: idOf(id), seed, publicKey }
}

/** The text of the file `minisign.pub`. */
export function publicKeyText({ id, publicKey }: MinisignKey): string {
  const bytes = Buffer.concat([Buffer.from('Ed'), idBytes(id), publicKey])
  return `untrusted comment: minisign public key ${id}\n${bytes.toString('base64')}\n`
}

function keyLine(text: string): string {
  const lines = text.split(/\r?\n/).map((line) => line.trim()).filter((line) => line !== '')
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
function spki(publicKey: Buffer): Buffer {
  return Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), publicKey])
}

function pkcs8(seed: Buffer): Buffer {
  return Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed])
}

function publicKeyOf(seed: Buffer): Buffer {
  const key = createPrivateKey({ key: pkcs8(seed), format: 'der', type: 'pkcs8' })
  return createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-32)
}
