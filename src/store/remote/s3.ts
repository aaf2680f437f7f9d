import { sha256 } from '../../platform/hash.ts'
import { once } from '../../platform/once.ts'
import type { Credentials } from './aws-roles.ts'
import { findAccess, type BucketAccess, type StoreAccess } from './credentials.ts'

/**
 * `is` is the tag that the object must have; null if the object must not exist; undefined for no
 * condition.
 */
export type Condition = { is?: string | null }

/** A local file and its SHA-256, with which the bucket compares the received bytes. */
export type FileWithSum = { path: string; size: number; sha256: string }

export type ListedObject = { key: string; size: number; modified: number }

/** A page of a listing; keys include the prefix of the store. `next` starts the following page. */
type ListedPage = { objects: ListedObject[]; next: string | null }

export type BucketRequest = Condition & {
  does: 'read' | 'write' | 'delete' | 'list'
  key: string
  /** For `read`: the response has no body if the object still has this tag. */
  unless?: string | undefined
  body?: string | FileWithSum
  /** For `list`: continues after the previous page. */
  next?: string
}

/** Builds the requests of one bucket. Sends no requests itself, except for the keys of a role. */
export type S3 = {
  /** Signs a request for the time `now` on the bucket's clock, with a checksum of the body. */
  sign(request: BucketRequest, now: Date): ReturnType<typeof signRequest>
  /** Options with which LanceDB reads the bucket. The options contain secret keys. */
  storage(): Promise<Record<string, string>>
}

export function openS3(bucket: string, access: StoreAccess): S3 {
  const accessOnce = once(() => findAccess(access))
  return {
    sign: async (request, now) => signRequest({ bucket, access: await accessOnce(), now }, request),
    async storage() {
      const access = await accessOnce()
      return storageOptions(access, await access.credentials())
    },
  }
}

const methods = { read: 'GET', write: 'PUT', delete: 'DELETE', list: 'GET' } as const

type Signing = { bucket: string; access: BucketAccess; now: Date }

async function signRequest({ bucket, access, now }: Signing, request: BucketRequest) {
  const { AwsV4Signer } = await import('aws4fetch')
  const { does, key, body = '', next = '', is, unless } = request
  const url = new URL(bucketUrl(bucket, access) + (does === 'list' ? '' : key))
  if (does === 'list') {
    url.searchParams.set('list-type', '2')
    url.searchParams.set('prefix', key)
    if (next !== '') url.searchParams.set('continuation-token', next)
  }
  const hash = typeof body === 'string' ? sha256(body) : body.sha256
  const signer = new AwsV4Signer({
    ...(await access.credentials()),
    method: methods[does],
    url: url.href,
    headers: { ...conditionHeaders({ is, unless }), 'x-amz-content-sha256': hash },
    service: 's3',
    region: access.region,
    datetime: now.toISOString().replace(/[:-]|\.\d{3}/g, ''),
    allHeaders: true,
  })
  const ready = await signer.sign()
  const headers: Record<string, string> = Object.fromEntries(ready.headers)
  return { method: methods[does], url: ready.url.href, headers }
}

function conditionHeaders({
  is,
  unless,
}: Pick<BucketRequest, 'is' | 'unless'>): Record<string, string> {
  if (is === null) return { 'if-none-match': '*' }
  if (is !== undefined) return { 'if-match': is }
  return unless === undefined ? {} : { 'if-none-match': unless }
}

function storageOptions(
  { region, endpoint }: BucketAccess,
  credentials: Credentials,
): Record<string, string> {
  const { accessKeyId, secretAccessKey, sessionToken } = credentials
  return {
    aws_access_key_id: accessKeyId,
    aws_secret_access_key: secretAccessKey,
    ...(sessionToken === undefined ? {} : { aws_session_token: sessionToken }),
    aws_region: region,
    aws_virtual_hosted_style_request: String(endpoint === null),
    ...(endpoint === null ? {} : { aws_endpoint: endpoint, allow_http: 'true' }),
  }
}

/** If no endpoint is set, the bucket is part of the host name. */
function bucketUrl(bucket: string, { endpoint, region }: BucketAccess): string {
  if (endpoint !== null) return `${endpoint}/${bucket}/`
  // The certificate for *.s3… covers only one label, so such a bucket goes into the path.
  if (bucket.includes('.')) return `https://s3.${region}.amazonaws.com/${bucket}/`
  return `https://${bucket}.s3.${region}.amazonaws.com/`
}

export function parseListing(xml: string): ListedPage {
  const objects = xmlElements(xml, 'Contents').map((inside) => ({
    key: xmlText(inside, 'Key'),
    size: Number(xmlText(inside, 'Size')),
    modified: Date.parse(xmlText(inside, 'LastModified')),
  }))
  return { objects, next: xmlText(xml, 'NextContinuationToken') || null }
}

function xmlElements(xml: string, name: string): string[] {
  return [...xml.matchAll(new RegExp(`<${name}>(.*?)</${name}>`, 'gs'))].map(([, it = '']) => it)
}

/** Returns the text of the first element with this name; empty if there is none. */
function xmlText(xml: string, name: string): string {
  const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }
  const text = new RegExp(`<${name}>([^<]*)<`).exec(xml)?.[1] ?? ''
  return text.replace(/&(\w+);/g, (all, entity) => entities[entity] ?? all)
}
