import { publicKeyOf } from './sign.ts'

/** What packaging/identity.json says of where releases lie and who signs them; empty: nothing. */
type Origin = { releases: string; publicKey: string }

/**
 * What a release lacks because packaging/identity.json is not filled in, a line for each.
 * @throws Error where it would be signed by another key than the one that installers know
 */
export function identityGaps({ releases, publicKey }: Origin, secretKey: string | null): string[] {
  const file = 'packaging/identity.json'
  if (secretKey !== null && publicKey !== '' && publicKeyOf(secretKey) !== publicKey) {
    throw new Error(`Cannot sign: OG_SIGNING_KEY belongs to the public key ${
      publicKeyOf(secretKey)}, and ${file} names ${publicKey}: nobody could install that`)
  }
  return [
    ...(releases !== '' ? [] : [`${file} names no address (releases): install.sh asks for`
      + ' OG_BASE_URL, og upgrade for OG_UPDATE_URL, and packages/ stays empty']),
    ...(publicKey !== '' ? [] : [`${file} names no publicKey: install.sh asks for OG_PUBLIC_KEY`
      + ' or --unsigned, og upgrade for OG_UPDATE_KEY']),
  ]
}
