import { OgError } from '../../platform/error.ts'

/** Where in which bucket a store lies; `prefix` is empty or ends with `/`. */
export type BucketAddress = { bucket: string; prefix: string }

/** Whether what names a store is an address and not a folder of this machine. */
export function isRemoteStore(typed: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(typed)
}

/** @throws OgError where it is no address of a bucket that og can write safely */
export function bucketAddress(typed: string): BucketAddress {
  const [, scheme = '', bucket = '', path = ''] = /^(\w+):\/\/([^/]*)\/?(.*)$/.exec(typed) ?? []
  const refuse = (why: string, hint: string): never => {
    throw new OgError(`Cannot use store ${typed}: ${why}`, { hint })
  }
  if (scheme.toLowerCase() !== 's3') {
    refuse(`${scheme}:// is no store of og`, 'a store is a folder, or s3://BUCKET/PREFIX')
  }
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket)) {
    refuse(`"${bucket}" is no name of a bucket`, 'as in s3://BUCKET/PREFIX')
  }
  const parts = path.split('/').filter((part) => part !== '')
  const isPlain = parts.every((part) => /^[\w.-]+$/.test(part) && !/^\.+$/.test(part))
  if (!isPlain) refuse('its prefix holds more than letters, digits and - _ . /', 'choose another')
  return { bucket, prefix: parts.map((part) => `${part}/`).join('') }
}
