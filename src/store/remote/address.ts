import { OgError } from '../../platform/error.ts'

export type BucketAddress = { kind: BucketKind; bucket: string; prefix: string }

type BucketKind = 's3' | 'az' | 'gs'

const naming: Record<BucketKind, { isName: RegExp; thing: string }> = {
  s3: { isName: /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, thing: 'bucket' },
  gs: { isName: /^[a-z0-9][a-z0-9._-]{1,61}[a-z0-9]$/, thing: 'bucket' },
  az: { isName: /^(?=.{3,63}$)[a-z0-9]+(-[a-z0-9]+)*$/, thing: 'container' },
}
const kinds = Object.keys(naming) as BucketKind[]

export function isRemoteStore(address: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(address)
}

/** @throws OgError if it is not the URL of a bucket to which og can safely write */
export function bucketAddress(address: string): BucketAddress {
  const [, scheme = '', bucket = '', path = ''] = /^(\w+):\/\/([^/]*)\/?(.*)$/.exec(address) ?? []
  const refuse = (why: string, hint: string): never => {
    throw new OgError(`Cannot use store ${address}: ${why}`, { hint })
  }
  const kind = kinds.find((it) => it === scheme.toLowerCase())
  if (kind === undefined) {
    return refuse(
      `${scheme}:// is no store of og`,
      'a store is a folder, s3://, az:// or gs://BUCKET/PREFIX',
    )
  }
  const { isName, thing } = naming[kind]
  if (!isName.test(bucket)) {
    refuse(`"${bucket}" is no name of a ${thing}`, `as in ${kind}://${thing.toUpperCase()}/PREFIX`)
  }
  const parts = path.split('/').filter((part) => part !== '')
  const isPlain = parts.every((part) => /^[\w.-]+$/.test(part) && !/^\.+$/.test(part))
  if (!isPlain) refuse('its prefix holds more than letters, digits and - _ . /', 'choose another')
  return { kind, bucket, prefix: parts.map((part) => `${part}/`).join('') }
}
