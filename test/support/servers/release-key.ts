import { generateKeyPairSync, randomBytes } from 'node:crypto'

/** The text of a new minisign secret key without a password, as `minisign -G -W` makes it. */
export function newSecretKey(): string {
  const { privateKey } = generateKeyPairSync('ed25519')
  const { d, x } = privateKey.export({ format: 'jwk' })
  const bytes = Buffer.concat([
    Buffer.from('Ed\0\0B2'), Buffer.alloc(48), randomBytes(8),
    Buffer.from(d!, 'base64url'), Buffer.from(x!, 'base64url'), Buffer.alloc(32),
  ])
  return `untrusted comment: a key for tests\n${bytes.toString('base64')}\n`
}
