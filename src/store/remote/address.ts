import { OgError } from '../../platform/error.ts'

export type BucketAddress = { bucket: string; prefix: string }

export function isRemoteStore(address: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(address)
}

/** @throws OgError if it is not the URL of a bucket to which og can safely write */
export function bucketAddress(address: string): BucketAddress {
  const [, scheme = '', bucket = '', path = ''] = /^(\w+):\/\/([^/]*)\/?(.*)$/.exec(address) ?? []
  const refuse = (why: string, hint: string): never => {
    throw new OgError(`Cannot use store ${address}: ${why}`, { hint })
  }
  if (scheme.toLowerCase() !== 's3') {
    refuse(`${scheme}:// is not an og store`, 'a store is a folder or s3://BUCKET/PREFIX')
  }
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket)) {
    refuse(`"${bucket}" is not a bucket name`, 'as in s3://BUCKET/PREFIX')
  }
  const parts = path.split('/').filter((part) => part !== '')
  const isPlain = parts.every((part) => /^[\w.-]+$/.test(part) && !/^\.+$/.test(part))
  if (!isPlain) refuse('its prefix may contain only letters, digits and - _ . /', 'choose another')
  return { bucket, prefix: parts.map((part) => `${part}/`).join('') }
}
