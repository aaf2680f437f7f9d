import { expect, test } from 'bun:test'
import {
  parsePublicKey,
  verifyMinisign,
  newMinisignKeys,
  parseSecretKey,
  publicKeyText,
  signIndex,
} from '../../../src/platform/minisign.ts'

// These three values come from minisign 0.11: `minisign -G -W`, and `minisign -S -m f -t 'serial
// 7'` of a file that contains `hello` and a line feed.
const bareKey = 'RWTYfDdgmV8aTSIlPs3u3NqY3A/glENRftGuMnUok+8RCUH5SoplCHjk'
const publicKey = `untrusted comment: minisign public key 4D1A5F9960377CD8\n${bareKey}\n`
const secretKey = `untrusted comment: minisign encrypted secret key
RWQAAEIyAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA2Hw3YJlfGk1G/uQjD3+bn1swEi\
hLrpOTVgrYX8b9d6ZKBvDJfcjNYSIlPs3u3NqY3A/glENRftGuMnUok+8RCUH5SoplCHjkAAAAAAAAAAAAAAAAAAAA\
AAAAAAAAAAAAAAAAAAAAAAA=
`
const signature = `untrusted comment: signature from minisign secret key
RUTYfDdgmV8aTdpaSjrqoAS4/m/1dt76TxFsQLImkrMTltQra6IXEV1NmoF2KxNaVguDMq/EhA/iW7eKBKqaKcWXjbi0sWeIFwI=
trusted comment: serial 7
u1zT49OVUMCyEVTV2eSWxbt25ypAmx+dSkdkpzEYuon9ejXZt+rpvr+huJvJWk3l2d5fl/T8XJ/F9WqO5DmGAA==
`
const content = 'hello\n'

test('creates the same signature as minisign from a minisign key', () => {
  const secret = parseSecretKey(secretKey)
  expect(publicKeyText(secret)).toBe(publicKey)
  const own = signIndex(secret, Buffer.from(content), { comment: 'serial 7' })
  // Ed25519 is deterministic, so only the untrusted comment may differ.
  expect(own.split('\n').slice(1)).toEqual(signature.split('\n').slice(1))
})

test('creates keys that verify their own signatures but no others', () => {
  const [keys, other] = [newMinisignKeys(), newMinisignKeys()]
  const made = signIndex(parseSecretKey(keys.secretKey), Buffer.from(content), { comment: 'x' })
  const verified = (key: string) => verifyMinisign(Buffer.from(content), made, parsePublicKey(key))
  expect(verified(keys.publicKey)).toBe('x')
  expect(() => verified(other.publicKey)).toThrow('another key')
})

test('rejects an invalid secret key without showing any part of it', () => {
  for (const text of ['', publicKey]) {
    expect(() => parseSecretKey(text)).toThrow(
      'Cannot read secret key: it is not a key of minisign',
    )
  }
  // `Sc` means that the key has a password.
  expect(() => parseSecretKey(secretKey.replace('RWQAAEIy', 'RWRTY0Iy'))).toThrow('has a password')
  expect(() => parseSecretKey(secretKey.replace('2Hw3YJlfGk1G', '2Hw3YJlfGk1H'))).toThrow(
    'its two halves do not belong together',
  )
})
