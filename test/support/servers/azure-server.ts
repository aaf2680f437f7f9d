import { createHash, createHmac } from 'node:crypto'
import { endpointOf, type ServerDialect } from './bucket-dialect.ts'

/** Key of the account with which the requests of `dialect` are signed. */
export const azureKey = Buffer.from('og-azure-key-never-to-be-printed').toString('base64')
export const azureSas = 'sv=2020-10-02&sp=rwdl&sig=sas%2Fnever-to-be-printed%3D'
export const azureToken = 'token.never-to-be-printed'

function refused(status: number, code: string): Response {
  const text =
    `\ufeff<?xml version="1.0"?><Error><Code>${code}</Code><AuthenticationErrorDetail>` +
    `${azureKey} ${azureSas} ${azureToken}</AuthenticationErrorDetail></Error>`
  return new Response(text, { status, headers: { 'x-ms-error-code': code } })
}

/**
 * Answers as Azure's documentation of Put, Get, Delete and List Blob describes, with the three
 * kinds of keys.
 */
export const azure: ServerDialect = {
  address: 'az://docs/team',
  env: (port) => ({
    AZURE_STORAGE_CONNECTION_STRING:
      `DefaultEndpointsProtocol=http;AccountName=acme;AccountKey=` +
      `${azureKey};BlobEndpoint=${endpointOf(port)}/acme`,
  }),
  refused,
  denied(request, { body, now, url }) {
    const { headers } = request
    if (!isAllowed(request, url, body.length)) return refused(403, 'AuthenticationFailed')
    const at = headers.get('x-ms-date') ?? headers.get('date') ?? ''
    const isSkewed = !(Math.abs(Date.parse(at) - now) < 900_000)
    if (isSkewed) return refused(403, 'AuthenticationFailed')
    if (request.method !== 'PUT') return null
    if (headers.get('x-ms-blob-type') !== 'BlockBlob') return refused(400, 'InvalidHeaderValue')
    const md5 = createHash('md5').update(body).digest('base64')
    return headers.get('content-md5') === md5 ? null : refused(400, 'Md5Mismatch')
  },
  asked({ method, headers }, url) {
    const query = url.searchParams
    if (query.get('comp') === 'list') {
      const from = query.get('marker')
      return { does: 'list', key: query.get('prefix')!, from, delimiter: query.get('delimiter') }
    }
    const key = decodeURIComponent(url.pathname).replace(/^\/acme\/docs\//, '')
    const is = headers.get('if-match')
    const unless = headers.get('if-none-match')
    const does = method === 'PUT' ? 'write' : method === 'DELETE' ? 'delete' : 'read'
    return { does, key, is, unless }
  },
  missing: () => refused(404, 'BlobNotFound'),
  other: ({ is }) =>
    is === null ? refused(409, 'BlobAlreadyExists') : refused(412, 'ConditionNotMet'),
  tag: ({ nth }) => `"0x8D${nth.toString(16).toUpperCase().padStart(13, '0')}"`,
  about: ({ etag }) => ({ headers: { etag, 'x-ms-version': '2020-10-02' }, text: '' }),
  page({ objects, folders, next }) {
    type Blob = { size: number; modified: number }
    const blob = (key: string, { size, modified }: Blob, type: string) =>
      `<Blob><Name>${key}</Name><Properties><Last-Modified>${new Date(modified).toUTCString()}` +
      `</Last-Modified><Etag>0x1</Etag><Content-Type>text/plain</Content-Type><Content-Length>${size}</Content-Length>` +
      `<ResourceType>${type}</ResourceType></Properties></Blob>`
    const blobs = objects.map((it) => blob(it.key, it, 'file'))
    const folder = blob('team/some', { size: 0, modified: 0 }, 'directory')
    const below = folders.map((it) => `<BlobPrefix><Name>${it}</Name></BlobPrefix>`)
    return (
      `\ufeff<?xml version="1.0" encoding="utf-8"?><EnumerationResults><Blobs>${folder}` +
      `${blobs.join('')}${below.join('')}</Blobs><NextMarker>${next ?? ''}</NextMarker></EnumerationResults>`
    )
  },
}

function isAllowed(request: Request, url: URL, size: number): boolean {
  const authorization = request.headers.get('authorization')
  if (authorization === null) return url.search.endsWith(azureSas)
  if (authorization.startsWith('Bearer ')) return authorization === `Bearer ${azureToken}`
  return authorization === `SharedKey acme:${signature(request, url, size)}`
}

/**
 * Computes the signature from the request itself: all headers that Azure signs, including headers
 * that og never sends.
 */
function signature({ method, headers }: Request, url: URL, size: number): string {
  const names = [
    'content-encoding',
    'content-language',
    'content-length',
    'content-md5',
    'content-type',
    'date',
    'if-modified-since',
    'if-match',
    'if-none-match',
    'if-unmodified-since',
    'range',
  ]
  const values = names.map((name) =>
    name === 'content-length' ? (size === 0 ? '' : `${size}`) : (headers.get(name) ?? ''),
  )
  const own = [...headers.keys()].filter((name) => name.startsWith('x-ms-')).sort()
  const query = [...new Set(url.searchParams.keys())].sort()
  const text =
    [method, ...values, ...own.map((name) => `${name}:${headers.get(name)}`)].join('\n') +
    `\n/acme${url.pathname}` +
    query.map((name) => `\n${name}:${url.searchParams.getAll(name).join(',')}`).join('')
  return createHmac('sha256', Buffer.from(azureKey, 'base64')).update(text).digest('base64')
}
