import { sha256 } from '../../../platform/hash.ts'
import { once } from '../../../platform/once.ts'
import type { Credentials } from './aws-keys.ts'
import { findAccess, type BucketAccess, type StoreAccess } from './credentials.ts'
import type { BucketDialect, BucketRequest, ListedPage, RefusedRequest } from './dialect.ts'

export function openS3(bucket: string, access: StoreAccess): BucketDialect {
  const accessOnce = once(() => findAccess(access))
  return {
    sign: async (request, now) => signRequest({ bucket, access: await accessOnce(), now }, request),
    page,
    tagOf: (answer) => answer.headers.get('etag'),
    codeOf: (_, text) => /<Code>(\w{1,60})<\/Code>/.exec(text)?.[1] ?? '',
    isConflict: ({ status }) => status === 412 || status === 409,
    isBucketMissing: (code) => code === 'NoSuchBucket',
    async storage() {
      const access = await accessOnce()
      return storageOptions(access, await access.credentials())
    },
    hint,
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

export function conditionHeaders({
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

function page(xml: string): ListedPage {
  const objects = xmlElements(xml, 'Contents').map((inside) => ({
    key: xmlText(inside, 'Key'),
    size: Number(xmlText(inside, 'Size')),
    modified: Date.parse(xmlText(inside, 'LastModified')),
  }))
  return { objects, next: xmlText(xml, 'NextContinuationToken') || null }
}

export function xmlElements(xml: string, name: string): string[] {
  return [...xml.matchAll(new RegExp(`<${name}>(.*?)</${name}>`, 'gs'))].map(([, it = '']) => it)
}

/** Returns the text of the first element with this name; empty if there is none. */
export function xmlText(xml: string, name: string): string {
  const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }
  const text = new RegExp(`<${name}>([^<]*)<`).exec(xml)?.[1] ?? ''
  return text.replace(/&(\w+);/g, (all, entity) => entities[entity] ?? all)
}

function hint({ status, answer }: RefusedRequest): string | null {
  const region = answer.headers.get('x-amz-bucket-region') ?? ''
  const isElsewhere = status >= 300 && status < 400
  return isElsewhere ? `set store.region${/^[\w-]+$/.test(region) ? ` to ${region}` : ''}` : null
}
