import { OgError } from '../../platform/error.ts'

/** The parts of `oci://HOST/REPOSITORY[:TAG][@DIGEST][#FILE]`. */
type OciAddress = {
  host: string
  repository: string
  /** A tag or a digest. */
  reference: string
  /** Title of a file; null if the address names no file. */
  file: string | null
}

/** Whether a pack or registry is on the web or in an OCI registry. */
export function isRemoteAddress(place: string): boolean {
  return /^https?:/i.test(place) || isOciAddress(place)
}

export function isOciAddress(place: string): boolean {
  return /^oci:\/\//i.test(place)
}

const form = new RegExp(
  '^oci://(?<host>[a-z0-9.-]+(?::\\d{1,5})?|\\[[0-9a-f:]+\\](?::\\d{1,5})?)' +
    '/(?<repository>[a-z0-9]+(?:[._-]+[a-z0-9]+)*(?:/[a-z0-9]+(?:[._-]+[a-z0-9]+)*)*)' +
    '(?::(?<tag>\\w[\\w.-]{0,127}))?(?:@(?<digest>sha256:[0-9a-f]{64}))?' +
    '(?:#(?<file>[\\w.+@/-]+))?$',
  'i',
)

/** @throws OgError if the address has a different form */
export function parseOciAddress(typed: string): OciAddress {
  const { host, repository, tag = 'latest', digest, file = null } = form.exec(typed)?.groups ?? {}
  if (host !== undefined && repository !== undefined) {
    return { host, repository, reference: digest ?? tag, file }
  }
  throw new OgError(`Cannot use "${typed}": it is not an address of an OCI registry`, {
    hint: 'oci://HOST/REPOSITORY, then :TAG or @sha256:…, then #FILE if it has several packs',
  })
}
