import { once } from '../../../platform/once.ts'
import type { StoreAccess } from './credentials.ts'
import { md5, type BucketDialect, type BucketRequest, type ListedPage } from './dialect.ts'
import { findGoogle } from './google-access.ts'

export function openGoogle(bucket: string, access: StoreAccess): BucketDialect {
  const accessOnce = once(() => findGoogle(access))
  return {
    async sign(request, now) {
      const { endpoint, token } = await accessOnce()
      const headers: Record<string, string> = {}
      if (token !== null) headers.authorization = `Bearer ${await token(now)}`
      if (request.body !== undefined) {
        headers['content-type'] = 'application/octet-stream'
        headers['x-goog-hash'] = `md5=${await md5(request.body)}`
      }
      return { method: methods[request.does], url: endpoint + pathOf(bucket, request), headers }
    },
    page,
    tagOf: (answer, text) =>
      answer.headers.get('x-goog-generation') ??
      /"generation"\s*:\s*"(\d+)"/.exec(text)?.[1] ??
      null,
    codeOf: (_, text) =>
      /bucket does not exist/.test(text)
        ? noBucket
        : (/"reason"\s*:\s*"(\w{1,60})"/.exec(text)?.[1] ?? ''),
    isConflict: ({ status }) => status === 412,
    isBucketMissing: (code) => code === noBucket,
    storage: async () => {
      const { endpoint, options } = await accessOnce()
      return { google_base_url: endpoint, allow_http: 'true', ...options }
    },
    hint: () => null,
  }
}

/** The API itself reports `notFound`, as it does for a missing object. */
const noBucket = 'noBucket'

const methods = { read: 'GET', write: 'POST', delete: 'DELETE', list: 'GET' } as const

function pathOf(bucket: string, { does, key, next = '', is, unless }: BucketRequest): string {
  const all = `/storage/v1/b/${bucket}/o`
  const query = new URLSearchParams()
  if (does === 'list') {
    query.set('prefix', key)
    query.set('fields', 'items(name,size,updated),nextPageToken')
    if (next !== '') query.set('pageToken', next)
    return `${all}?${query}`
  }
  if (does === 'write') {
    query.set('uploadType', 'media')
    query.set('name', key)
    if (is !== undefined) query.set('ifGenerationMatch', is ?? '0')
    return `/upload${all}?${query}`
  }
  if (does === 'read') query.set('alt', 'media')
  if (unless !== undefined) query.set('ifGenerationNotMatch', unless)
  return `${all}/${encodeURIComponent(key)}?${query}`
}

function page(text: string): ListedPage {
  const { items = [], nextPageToken = null } = JSON.parse(text)
  const objects = items.map((it: { name: string; size: string; updated: string }) => ({
    key: it.name,
    size: Number(it.size),
    modified: Date.parse(it.updated),
  }))
  return { objects, next: nextPageToken }
}
