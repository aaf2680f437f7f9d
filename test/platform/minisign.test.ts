import { expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createTempFolder } from '../../src/platform/file/files.ts'
import {
  parsePublicKey,
  verifyMinisign,
  newMinisignKeys,
  parseSecretKey,
  publicKeyText,
  signIndex,
} from '../../src/platform/minisign.ts'
import { minisign, publicKeyOf } from '../../scripts/release/sign.ts'
import { testWhere } from '../support/where.ts'

// Created with minisign 0.11: `minisign -G -W`, `minisign -S -t 'a comment'` of "hello\n".
const known = {
  key: 'RWS+K0b7q4D4goDgukpxYUHTcsbxeOP1/mGiraiSTdmMcm+nCWvVJTNm',
  signature: readFileSync(join(import.meta.dir, '..', 'fixtures', 'hello.minisig'), 'utf8'),
}

function check(content: string, signature: string, key: string, expected: string) {
  const verdict = () => verifyMinisign(Buffer.from(content), signature, parsePublicKey(key))
  if (expected.startsWith('Cannot')) expect(verdict).toThrow(expected)
  else expect(verdict()).toBe(expected)
}

test("accepts minisign's own signature, and rejects any change to it", () => {
  const { key, signature } = known
  check('hello\n', signature, `untrusted comment: any\n${key}\n`, 'a comment')
  check('hullo\n', signature, key, 'Cannot trust the signature: the content was changed')
  const commented = signature.replace('a comment', 'b comment')
  check('hello\n', commented, key, 'Cannot trust the signature: its comment was changed')
  const [head, ...rest] = signature.split('\n')
  const short = [head, rest[0]!.slice(4), ...rest.slice(1)].join('\n')
  check('hello\n', short, key, 'Cannot trust the signature: it is not a minisign signature')
  check('hello\n', '', key, 'Cannot trust the signature: it is not a minisign signature')
  const other = publicKeyOf(newMinisignKeys().secretKey)
  check('hello\n', signature, other, 'Cannot trust the signature: it was made with another key')
  check('hello\n', signature, 'RWQ', 'Cannot read the public key')
})

test('signs a release with a key without a password', () => {
  const secret = newMinisignKeys().secretKey
  check('sums', minisign(Buffer.from('sums'), secret, 'og 1.0'), publicKeyOf(secret), 'og 1.0')
  expect(() => minisign(Buffer.from('x'), 'no key', '')).toThrow('not a minisign secret key')
  const bytes = Buffer.from(secret.split('\n')[1]!, 'base64')
  bytes.write('Sc', 2, 'latin1')
  expect(() => minisign(Buffer.from('x'), bytes.toString('base64'), '')).toThrow('has a password')
})

const lack = Bun.which('minisign') === null ? 'minisign is not here' : null

testWhere(lack)('creates signatures that minisign accepts', async () => {
  await using folder = await createTempFolder('minisign')
  const secret = newMinisignKeys().secretKey
  const path = join(folder.path, 'SHA256SUMS')
  writeFileSync(path, 'sums')
  writeFileSync(`${path}.minisig`, minisign(Buffer.from('sums'), secret, 'og 1.0'))
  const ran = Bun.spawnSync(['minisign', '-V', '-P', publicKeyOf(secret), '-m', path])
  expect(ran.stdout.toString()).toContain('Trusted comment: og 1.0')
  expect(ran.exitCode).toBe(0)
})

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
    'its two halves do not match',
  )
})
