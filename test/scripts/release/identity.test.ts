import { expect, test } from 'bun:test'
import { identityGaps } from '../../../scripts/release/identity.ts'
import { publicKeyOf } from '../../../scripts/release/sign.ts'
import { newMinisignKeys } from '../../../src/library/registry/sign-index.ts'

const { secretKey } = newMinisignKeys()
const publicKey = publicKeyOf(secretKey)
const releases = 'https://og.example/releases'

test('what a release lacks without an address and a key is said', () => {
  expect(identityGaps({ releases, publicKey }, secretKey)).toEqual([])
  expect(identityGaps({ releases, publicKey }, null)).toEqual([])
  const [address, key] = identityGaps({ releases: '', publicKey: '' }, secretKey)
  expect(address).toMatch(/names no address .* OG_BASE_URL, og upgrade for OG_UPDATE_URL/)
  expect(key).toMatch(/names no publicKey: .* OG_PUBLIC_KEY .* OG_UPDATE_KEY/)
})

test('a release is not signed by another key than its installers know', () => {
  const other = publicKeyOf(newMinisignKeys().secretKey)
  expect(() => identityGaps({ releases, publicKey: other }, secretKey))
    .toThrow(`belongs to the public key ${publicKey}, and packaging/identity.json names ${other}`)
})
