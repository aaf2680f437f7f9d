import { publicKeyOf, publicKeyOfP256 } from './sign.ts'

/** The fields of packaging/identity.json that installers need; '' if a field is not filled in. */
export type Origin = { releases: string; publicKey: string; publicKeyP256: string }

/** The texts of the secret keys; null if a key is not given. */
export type SigningKeys = { ed25519: string | null; p256: string | null }

/** Reads the secret keys from their environment variables. */
export const signingKeys = (env: Record<string, string | undefined>): SigningKeys => ({
  ed25519: env.OG_SIGNING_KEY || null,
  p256: env.OG_SIGNING_KEY_P256 || null,
})

const file = 'packaging/identity.json'

/**
 * Returns a line for each gap in packaging/identity.json, with its consequence for the release.
 * @throws Error if a secret key does not belong to the public key that installers check
 */
export function identityGaps(
  { releases, publicKey, publicKeyP256 }: Origin,
  { ed25519, p256 }: SigningKeys,
): string[] {
  refuseOther('OG_SIGNING_KEY', ed25519 && publicKeyOf(ed25519), publicKey)
  refuseOther('OG_SIGNING_KEY_P256', p256 && publicKeyOfP256(p256), publicKeyP256)
  return [
    ...(releases !== ''
      ? []
      : [
          `${file} names no address (releases): install.sh asks for` +
            ' OG_BASE_URL, og upgrade for OG_UPDATE_URL, and packages/ stays empty',
        ]),
    ...(publicKey !== ''
      ? []
      : [
          `${file} names no publicKey: install.sh asks for OG_PUBLIC_KEY` +
            ' or --unsigned, og upgrade for OG_UPDATE_KEY',
        ]),
    ...(publicKeyP256 !== ''
      ? []
      : [
          `${file} names no publicKeyP256: on macOS install.sh asks for` +
            ' OG_PUBLIC_KEY_P256, minisign or --unsigned',
        ]),
  ]
}

function refuseOther(variable: string, own: string | null, expected: string): void {
  if (own === null || expected === '' || own === expected) return
  throw new Error(
    `Cannot sign: ${variable} belongs to the public key ${own}, and ${file} names ${
      expected
    }: nobody could install that`,
  )
}
