import {
  parseSecretKey, publicKeyText, signedBy, type MinisignSecret,
} from '../../src/library/registry/sign-index.ts'
import { messageOf } from '../../src/platform/error.ts'

/**
 * A minisign signature of `content`. `secretKey`: the text of a key made by `minisign -G -W`, which
 * has no password. `comment` is signed too.
 * @throws Error where the key is none, or has a password
 */
export function minisign(content: Uint8Array, secretKey: string, comment: string): string {
  return signedBy(signingKey(secretKey), content, { comment })
}

/** The public key that belongs to a secret one, as the second line of a `.pub` file. */
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
