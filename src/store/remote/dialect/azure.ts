import { createHmac } from 'node:crypto'
import { once } from '../../../platform/once.ts'
import { findAzure, type AzureAccess, type AzureKey } from './azure-access.ts'
import type { StoreAccess } from './credentials.ts'
import { conditionHeaders, xmlText, xmlElements } from './s3.ts'
import {
  md5,
  type BucketDialect,
  type BucketRequest,
  type ListedPage,
  type SignedRequest,
} from './dialect.ts'

export function openAzure(container: string, access: StoreAccess): BucketDialect {
  const accessOnce = once(async () => findAzure(access))
  return {
    async sign(request, now) {
      const { endpoint, key } = await accessOnce()
      const url = new URL(`${endpoint}/${container}${pathOf(request)}`)
      return authorise({ ...(await requestParts(request)), url, now }, key)
    },
    page,
    tagOf: (answer) => answer.headers.get('etag'),
    codeOf: (answer, text) =>
      /^\w{1,60}$/.exec(answer.headers.get('x-ms-error-code') ?? '')?.[0] ??
      /<Code>(\w{1,60})<\/Code>/.exec(text)?.[1] ??
      '',
    isConflict: ({ code }) =>
      /^(ConditionNotMet|BlobAlreadyExists|TargetConditionNotMet)$/.test(code),
    isBucketMissing: (code) => code === 'ContainerNotFound' || code === 'ResourceNotFound',
    storage: async () => storageOptions(await accessOnce()),
    hint: ({ code }) =>
      code === 'ContainerNotFound'
        ? 'make the container first: og makes none'
        : code === 'AuthorizationPermissionMismatch'
          ? 'the role of the keys must allow this; see ' + 'docs/guide/team.md'
          : null,
  }
}

/**
 * The oldest version that accepts 5,000 MiB in one Put Blob and supports all other requests of og.
 */
const version = '2020-10-02'

const methods = { read: 'GET', write: 'PUT', delete: 'DELETE', list: 'GET' } as const

function pathOf({ does, key, next = '' }: BucketRequest): string {
  if (does !== 'list') return `/${key.split('/').map(encodeURIComponent).join('/')}`
  const query = new URLSearchParams({ restype: 'container', comp: 'list', prefix: key })
  if (next !== '') query.set('marker', next)
  return `?${query}`
}

async function requestParts({ does, body, is, unless }: BucketRequest) {
  const headers: Record<string, string> = {
    ...conditionHeaders({ is, unless }),
    'x-ms-version': version,
  }
  // Without this header, blobs with snapshots are not deleted.
  if (does === 'delete') headers['x-ms-delete-snapshots'] = 'include'
  if (body !== undefined) {
    headers['x-ms-blob-type'] = 'BlockBlob'
    headers['content-type'] = 'application/octet-stream'
    headers['content-md5'] = await md5(body)
  }
  const size = typeof body === 'string' ? Buffer.byteLength(body) : (body?.size ?? 0)
  return { method: methods[does], headers, size }
}

type Unsigned = Omit<SignedRequest, 'url'> & { url: URL; size: number; now: Date }

async function authorise(request: Unsigned, key: AzureKey): Promise<SignedRequest> {
  const { method, url } = request
  const headers: Record<string, string> = {
    ...request.headers,
    'x-ms-date': request.now.toUTCString(),
  }
  if (key.kind === 'sas') url.search += `${url.search === '' ? '?' : '&'}${key.query}`
  else if (key.kind === 'token') headers.authorization = `Bearer ${await key.token()}`
  else headers.authorization = sharedKey({ ...request, headers }, key)
  return { method, url: url.href, headers }
}

/** Follows "Authorize with Shared Key" in Azure's documentation, line by line. */
function sharedKey(
  { method, url, headers, size }: Unsigned,
  { account, key }: AzureKey & { kind: 'shared' },
): string {
  const own = Object.keys(headers)
    .filter((name) => name.startsWith('x-ms-'))
    .sort()
  const query = [...url.searchParams].sort(([a], [b]) => (a < b ? -1 : 1))
  const text = [
    method,
    '', // content-encoding
    '', // content-language
    size === 0 ? '' : String(size),
    headers['content-md5'] ?? '',
    headers['content-type'] ?? '',
    '', // date, because x-ms-date is sent
    '', // if-modified-since
    headers['if-match'] ?? '',
    headers['if-none-match'] ?? '',
    '', // if-unmodified-since
    '', // range
    ...own.map((name) => `${name}:${headers[name]}`),
    `/${account}${url.pathname}`,
    ...query.map(([name, value]) => `${name}:${value}`),
  ].join('\n')
  return `SharedKey ${account}:${createHmac('sha256', key).update(text).digest('base64')}`
}

function storageOptions({ account, endpoint, key }: AzureAccess): Record<string, string> {
  const own: Record<string, string> =
    key.kind === 'shared'
      ? { azure_storage_account_key: key.key.toString('base64') }
      : key.kind === 'sas'
        ? { azure_storage_sas_key: key.query }
        : key.options
  const isOpen = endpoint.startsWith('http:')
  return {
    // LanceDB requires an account name even if the endpoint contains it.
    azure_storage_account_name: account || new URL(endpoint).host.split('.')[0]!,
    azure_storage_endpoint: endpoint,
    ...own,
    ...(isOpen ? { allow_http: 'true' } : {}),
  }
}

function page(xml: string): ListedPage {
  const blobs = xmlElements(xml, 'Blob')
    // Skips the folders of an account with hierarchical names.
    .filter((inside) => xmlText(inside, 'ResourceType') !== 'directory')
  const objects = blobs.map((inside) => ({
    key: xmlText(inside, 'Name'),
    size: Number(xmlText(inside, 'Content-Length')),
    modified: Date.parse(xmlText(inside, 'Last-Modified')),
  }))
  return { objects, next: xmlText(xml, 'NextMarker') || null }
}
