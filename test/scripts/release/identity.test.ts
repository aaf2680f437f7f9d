import { expect, test } from 'bun:test'
import { generateKeyPairSync } from 'node:crypto'
import own from '../../../packaging/identity.json'
import { identityGaps, signingKeys } from '../../../scripts/release/identity.ts'
import { publicKeyOf, publicKeyOfP256, signP256 } from '../../../scripts/release/sign.ts'
import { newMinisignKeys } from '../../../src/platform/minisign.ts'
import { newP256Key } from '../../support/servers/release.ts'
import { readText } from '../../support/tidy/source-file.ts'

const [ed25519, p256] = [newMinisignKeys().secretKey, newP256Key()]
const [publicKey, publicKeyP256] = [publicKeyOf(ed25519), publicKeyOfP256(p256)]
const releases = 'https://og.example/releases'
const identity = { releases, publicKey, publicKeyP256 }

test('reports the missing address and keys of a release', () => {
  expect(identityGaps(identity, { ed25519, p256 })).toEqual([])
  expect(identityGaps(identity, signingKeys({ OG_SIGNING_KEY: '' }))).toEqual([])
  const none = { releases: '', publicKey: '', publicKeyP256: '' }
  const [address, key, second] = identityGaps(none, { ed25519, p256 })
  expect(address).toMatch(/names no address .* OG_BASE_URL, og upgrade for OG_UPDATE_URL/)
  expect(key).toMatch(/names no publicKey: .* OG_PUBLIC_KEY .* OG_UPDATE_KEY/)
  expect(second).toMatch(/names no publicKeyP256: on macOS .* OG_PUBLIC_KEY_P256/)
})

test('the README installs from the address in identity.json', () => {
  const address = own.releases || 'https://github.com/OWNER/REPOSITORY/releases'
  expect(readText('README.md')).toContain(`curl -fsSL ${address}/latest/download/install.sh | sh`)
})

test('refuses to sign a release with a key that its installers do not have', () => {
  const other = publicKeyOf(newMinisignKeys().secretKey)
  const otherP256 = publicKeyOfP256(newP256Key())
  expect(() => identityGaps({ ...identity, publicKey: other }, { ed25519, p256 })).toThrow(
    `belongs to the public key ${publicKey}, and packaging/identity.json names ${other}`,
  )
  expect(() => identityGaps({ ...identity, publicKeyP256: otherP256 }, { ed25519, p256 })).toThrow(
    `OG_SIGNING_KEY_P256 belongs to the public key ${publicKeyP256}`,
  )
})

test('rejects a second key that is not a P-256 key', () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'secp384r1' })
  const text = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  expect(() => signP256(Buffer.from('sums'), text)).toThrow('OG_SIGNING_KEY_P256 is not a P-256')
  expect(() => signP256(Buffer.from('sums'), ed25519)).toThrow('OG_SIGNING_KEY_P256 is not a P-256')
})
