import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  minisignDigest, minisignDigestOfFile, newMinisignKeys, parsePublicKey, parseSecretKey,
  publicKeyText, signMinisign, verifyMinisign,
} from '../../src/platform/minisign.ts'

// All three are of minisign 0.11: `minisign -G -W`, and `minisign -S -m f -t 'serial 7'` of a file
// that holds `hello` and a line feed.
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

test('a signature that minisign made is good, and its comment is read', () => {
  check('serial 7', {})
  check('serial 7', { publicKey: bareKey })
  check('serial 7', { signature: signature.replaceAll('\n', '\r\n') })
})

test('a key that minisign made signs here what minisign signs', () => {
  const secret = parseSecretKey(secretKey)
  expect(publicKeyText(secret)).toBe(publicKey)
  const own = signMinisign(minisignDigest(Buffer.from(content)), secret, { comment: 'serial 7' })
  // Ed25519 knows no chance: but for the comment that nobody trusts it is the same text.
  expect(own.split('\n').slice(1)).toEqual(signature.split('\n').slice(1))
})

test('what was changed is refused with one line', () => {
  check('Cannot trust f: it is not what was signed', { content: 'hello' })
  check('Cannot trust f: the comment in its signature is not what was signed', {
    signature: signature.replace('serial 7', 'serial 8'),
  })
  const [line] = /RUT.*/.exec(signature)!
  const bytes = Buffer.from(line, 'base64')
  bytes[20]! ^= 1
  check('Cannot trust f: it is not what was signed', {
    signature: signature.replace(line, bytes.toString('base64')),
  })
  bytes[1] = 'd'.charCodeAt(0)
  check('Cannot trust f: its signature is of an old kind', {
    signature: signature.replace(line, bytes.toString('base64')),
  })
})

test('another key is refused by its number', () => {
  const other = newMinisignKeys()
  const { id } = parsePublicKey(other.publicKey)
  check(`Cannot trust f: it is signed with key 4D1A5F9960377CD8, not with ${id}`, {
    publicKey: other.publicKey,
  })
})

test('what is no signature and no key is refused', () => {
  for (const text of ['', 'x', signature.slice(0, 100), signature.replace('RUT', 'R!T')]) {
    check('Cannot trust f: its signature is no signature of minisign', { signature: text })
  }
  for (const text of ['', 'RW', bareKey.slice(4), secretKey, `X${bareKey.slice(1)}`]) {
    expect(() => parsePublicKey(text)).toThrow('Cannot read public key: it is no key of minisign')
  }
  for (const text of ['', publicKey]) {
    expect(() => parseSecretKey(text)).toThrow('Cannot read secret key: it is no key of minisign')
  }
  // `Sc`: minisign asks for a password.
  expect(() => parseSecretKey(secretKey.replace('RWQAAEIy', 'RWRTY0Iy'))).toThrow('has a password')
  expect(() => parseSecretKey(secretKey.replace('2Hw3YJlfGk1G', '2Hw3YJlfGk1H')))
    .toThrow('its two halves do not belong together')
})

test('new keys sign what they verify, each pair alone', () => {
  const keys = newMinisignKeys()
  const secret = parseSecretKey(keys.secretKey)
  const digest = minisignDigest(Buffer.from(content))
  const made = signMinisign(digest, secret, { comment: 'later' })
  check('later', { publicKey: keys.publicKey, signature: made })
  expect(newMinisignKeys().publicKey).not.toBe(keys.publicKey)
})

test('a file has the digest of its bytes', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'og-minisign-'))
  const path = join(folder, 'f')
  writeFileSync(path, content)
  expect(await minisignDigestOfFile(path)).toEqual(minisignDigest(Buffer.from(content)))
  rmSync(folder, { recursive: true })
})

function check(
  expected: string, changed: { content?: string; signature?: string; publicKey?: string },
): void {
  const given = { content, signature, publicKey, ...changed }
  const verified = () => {
    const key = parsePublicKey(given.publicKey)
    const digest = minisignDigest(Buffer.from(given.content))
    return verifyMinisign(digest, given.signature, { key, what: 'f' })
  }
  if (expected.startsWith('Cannot')) expect(verified).toThrow(expected)
  else expect(verified()).toBe(expected)
}
