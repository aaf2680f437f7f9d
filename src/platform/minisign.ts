import { createHash, createPublicKey, verify, type KeyObject } from 'node:crypto'
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
 * the second signature, over the trusted comment. The format:
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

export const commentLabel = 'trusted comment: '

function refusal(why: string): OgError {
  return new OgError(`Cannot trust the signature: ${why}`, {
    hint: 'download it again from the address of the release',
  })
}
