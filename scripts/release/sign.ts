import { createPrivateKey, createPublicKey, sign, type KeyObject } from 'node:crypto'
import {
  parseSecretKey,
  publicKeyText,
  signIndex,
  type MinisignSecret,
} from '../../src/platform/minisign.ts'
import { messageOf } from '../../src/platform/error.ts'

/**
 * Returns a minisign signature of `content` and `comment`. `secretKey` is the text of a key without
 * password, made with `minisign -G -W`.
 * @throws Error if the key is invalid or has a password
 */
export function minisign(content: Uint8Array, secretKey: string, comment: string): string {
  return signIndex(signingKey(secretKey), content, { comment })
}

/** Returns the public key of a secret key, in the form of the second line of a `.pub` file. */
export function publicKeyOf(secretKey: string): string {
  return publicKeyText(signingKey(secretKey)).split('\n')[1]!
}

function signingKey(text: string): MinisignSecret {
  try {
    return parseSecretKey(text)
  } catch (cause) {
    const what = 'OG_SIGNING_KEY is not a minisign secret key without a password'
    throw new Error(`Cannot sign: ${what}: ${messageOf(cause)}`, { cause })
  }
}

/**
 * Returns an ECDSA signature of the SHA-256 of `content` in DER, for `openssl dgst -sha256
 * -verify`, because the openssl of macOS does not support Ed25519. `secretKey` is a P-256 key in
 * PEM without password.
 * @throws Error if the key is invalid
 */
export function signP256(content: Uint8Array, secretKey: string): Uint8Array {
  return sign('sha256', content, { key: p256Key(secretKey), dsaEncoding: 'der' })
}

/** Returns the public key of a secret key: DER in base64, on one line. */
export function publicKeyOfP256(secretKey: string): string {
  const key = createPublicKey(p256Key(secretKey))
  return key.export({ type: 'spki', format: 'der' }).toString('base64')
}

function p256Key(text: string): KeyObject {
  const what = 'OG_SIGNING_KEY_P256 is not a P-256 secret key in PEM without a password'
  let key: KeyObject
  try {
    key = createPrivateKey(text)
  } catch (cause) {
    throw new Error(`Cannot sign: ${what}: ${messageOf(cause)}`, { cause })
  }
  if (key.asymmetricKeyDetails?.namedCurve === 'prime256v1') return key
  throw new Error(`Cannot sign: ${what}: it is a key of another kind`)
}
