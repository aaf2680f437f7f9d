import { open } from 'node:fs/promises'
import { OgError } from '../../platform/error.ts'
import { sha256 } from '../../platform/hash.ts'
import { once } from '../../platform/once.ts'
import {
  bodyPieces, bodyText, fetchWithRetry, NetworkError, type FetchOptions,
} from '../../platform/web/http.ts'
import type { BucketAddress } from './address.ts'
import { findAccess, type BucketAccess, type StoreAccess } from './credentials.ts'

/** A text of the bucket: its tag changes with it, and `modified` is by the bucket's clock. */
export type Stored = { text: string; etag: string; modified: number }

export type ListedObject = { key: string; size: number; modified: number }

/** `is`: the tag that has to be there now; `null`: nothing may be there. Absent: whatever is. */
export type Condition = { is?: string | null }

/**
 * Objects below one prefix, by keys without it. Every call throws an OgError that names the store
 * and no key of it; what a moment may mend is tried again first.
 */
export type Bucket = {
  /** `s3://bucket/prefix`. */
  place: string
  /** null: there is none. 'same': it is still what `unless` tags. */
  read(key: string, unless?: string): Promise<Stored | null | 'same'>
  /** Into a new file, synced. @returns false: there is none */
  download(key: string, path: string): Promise<boolean>
  /** @returns the new tag; null: the condition did not hold, and nothing was written */
  write(key: string, body: string | SummedFile, condition?: Condition): Promise<string | null>
  list(below: string): AsyncGenerator<ListedObject>
  delete(key: string): Promise<void>
  /** Milliseconds since 1970, by the bucket's clock as of its last answer. */
  now(): number
  /** How LanceDB reads it. Holds keys. */
  storage(): Promise<Record<string, string>>
}

/** A file of this disk, whose SHA-256 is known; the bucket compares what it receives with that. */
export type SummedFile = { path: string; size: number; sha256: string }

type Request = {
  method: 'GET' | 'PUT' | 'DELETE'
  /** With the prefix of the store; empty: the bucket itself. */
  key: string
  query?: Record<string, string>
  headers?: Record<string, string>
  body?: string | SummedFile
}

export type BucketOptions = Pick<FetchOptions, 'attempts' | 'backoffMs' | 'timeoutMs'>

/** Asks nobody before it is used. */
export function openBucket(
  address: BucketAddress, access: StoreAccess, options: BucketOptions = {},
): Bucket {
  const place = `s3://${address.bucket}/${address.prefix}`.replace(/\/$/, '')
  const accessOnce = once(() => findAccess(access))
  const clock = { aheadMs: 0 }
  const ask = async <T>(request: Request, read: (answer: Response) => Promise<T>): Promise<T> => {
    const granted = await accessOnce()
    const root = bucketUrl(address.bucket, granted)
    return answerTo({ place, root, access: granted, clock, options }, request, read)
  }
  const full = (key: string) => address.prefix + key
  return {
    place,
    now: () => Date.now() + clock.aheadMs,
    storage: async () => storageOptions(await accessOnce()),
    read: (key, unless) => {
      const headers: Record<string, string> = unless ? { 'if-none-match': unless } : {}
      return ask({ method: 'GET', key: full(key), headers }, async (answer) => {
        if (answer.status === 304) return 'same'
        if (await isMissing(answer, place)) return null
        const text = await bodyText(answer, { url: place })
        return { text, etag: tagOf(answer, place), modified: dateOf(answer, 'last-modified') }
      })
    },
    download: (key, path) =>
      ask({ method: 'GET', key: full(key) }, async (answer) => {
        if (await isMissing(answer, place)) return false
        await using file = await open(path, 'w')
        for await (const piece of bodyPieces(answer, { url: place })) await file.write(piece)
        await file.datasync()
        return true
      }),
    write: (key, body, { is } = {}) => {
      const headers: Record<string, string> =
        is === undefined ? {} : is === null ? { 'if-none-match': '*' } : { 'if-match': is }
      return ask({ method: 'PUT', key: full(key), body, headers }, async (answer) => {
        const text = await bodyText(answer, { url: place })
        const isOther = answer.status === 412 || answer.status === 409
        // Of what is gone a tag cannot be right.
        if (is !== undefined && (isOther || (is !== null && answer.status === 404))) return null
        if (!answer.ok) throw refusal(answer, text, { place, doing: 'write' })
        return tagOf(answer, place)
      })
    },
    async *list(below) {
      let next: string | null = ''
      while (next !== null) {
        const page: string = await ask(listing(full(below), next), async (answer) => {
          const text = await bodyText(answer, { url: place })
          if (!answer.ok) throw refusal(answer, text, { place, doing: 'read' })
          return text
        })
        yield* listed(page, address.prefix)
        next = /<NextContinuationToken>([^<]+)</.exec(page)?.[1] ?? null
        if (next !== null) next = plain(next)
      }
    },
    delete: (key) =>
      ask({ method: 'DELETE', key: full(key) }, async (answer) => {
        const text = await bodyText(answer, { url: place })
        if (!answer.ok && answer.status !== 404) {
          throw refusal(answer, text, { place, doing: 'write' })
        }
      }),
  }
}

type Asking = {
  place: string
  root: string
  access: BucketAccess
  clock: { aheadMs: number }
  options: BucketOptions
  /** Signed by the bucket's clock, after ours was refused. */
  isAgain?: true
}

async function answerTo<T>(
  asking: Asking, request: Request, read: (answer: Response) => Promise<T>,
): Promise<T> {
  const { place, clock, options, isAgain } = asking
  const { url, headers } = await signed(asking, request)
  const { method, body } = request
  const size = typeof body === 'object' ? body.size : 0
  const sent = {
    ...options,
    // The head of the answer comes when all is sent: 200 KB a second are enough.
    timeoutMs: (options.timeoutMs ?? 30_000) + size / 200,
    method,
    headers,
    // Who redirects would be sent what was signed for another.
    connection: () => ({ url, headers: {}, init: { redirect: 'manual' as const } }),
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : Bun.file(body.path) }),
  }
  let isSkewed = false
  const answered = fetchWithRetry(url, sent, async (answer) => {
    const aheadMs = dateOf(answer, 'date') - Date.now()
    // Where clocks differ by less than an answer may take, ours is as good.
    if (Number.isFinite(aheadMs)) clock.aheadMs = Math.abs(aheadMs) < 5_000 ? 0 : aheadMs
    isSkewed = answer.status === 403 && Math.abs(clock.aheadMs) > 60_000 && !isAgain
    return isSkewed ? (undefined as T) : read(answer)
  })
  const value = await answered.catch((error) => {
    if (!(error instanceof NetworkError)) throw error
    const why = error.reason.replace(/^Cannot fetch "[^"]*": /, '')
    const message = `Cannot reach store ${place}: ${why}`
    throw new OgError(message, { code: 'unreachable', hint: error.hint, cause: error })
  })
  // Signed by a clock that the bucket does not believe: once more by the bucket's own.
  return isSkewed ? answerTo({ ...asking, isAgain: true }, request, read) : value
}

async function signed({ root, access, clock }: Asking, request: Request) {
  const { AwsV4Signer } = await import('aws4fetch')
  const { method, key, query = {}, body = '' } = request
  const url = new URL(root + key)
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
  const hash = typeof body === 'string' ? sha256(body) : body.sha256
  const now = new Date(Date.now() + clock.aheadMs).toISOString()
  const signer = new AwsV4Signer({
    ...access.credentials,
    method,
    url: url.href,
    headers: { ...request.headers, 'x-amz-content-sha256': hash },
    service: 's3',
    region: access.region,
    datetime: now.replace(/[:-]|\.\d{3}/g, ''),
    allHeaders: true,
  })
  const ready = await signer.sign()
  return { url: ready.url.href, headers: Object.fromEntries(ready.headers) }
}

function storageOptions({ credentials, region, endpoint }: BucketAccess): Record<string, string> {
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

/** Where no endpoint is set, the bucket is part of the host's name. */
function bucketUrl(bucket: string, { endpoint, region }: BucketAccess): string {
  if (endpoint !== null) return `${endpoint}/${bucket}/`
  // A certificate for *.s3… covers one label.
  if (bucket.includes('.')) return `https://s3.${region}.amazonaws.com/${bucket}/`
  return `https://${bucket}.s3.${region}.amazonaws.com/`
}

function listing(prefix: string, next: string): Request {
  const query: Record<string, string> = { 'list-type': '2', prefix }
  if (next !== '') query['continuation-token'] = next
  return { method: 'GET', key: '', query }
}

/** What is no key that og has made is left out. */
function* listed(xml: string, prefix: string): Iterable<ListedObject> {
  for (const [, inside = ''] of xml.matchAll(/<Contents>(.*?)<\/Contents>/gs)) {
    const value = (name: string) => plain(new RegExp(`<${name}>([^<]*)<`).exec(inside)?.[1] ?? '')
    const key = value('Key')
    if (!key.startsWith(prefix)) continue
    const modified = Date.parse(value('LastModified'))
    yield { key: key.slice(prefix.length), size: Number(value('Size')), modified }
  }
}

function plain(xml: string): string {
  const named: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }
  return xml.replace(/&(\w+);/g, (all, name) => named[name] ?? all)
}

async function isMissing(answer: Response, place: string): Promise<boolean> {
  if (answer.ok) return false
  const text = await bodyText(answer, { url: place })
  if (answer.status === 404 && !text.includes('<Code>NoSuchBucket<')) return true
  throw refusal(answer, text, { place, doing: 'read' })
}

/** By the code alone: the rest of an answer may repeat what was signed. */
function refusal(
  answer: Response, text: string, { place, doing }: { place: string; doing: 'read' | 'write' },
): OgError {
  const code = /<Code>(\w{1,60})<\/Code>/.exec(text)?.[1] ?? ''
  const region = answer.headers.get('x-amz-bucket-region') ?? ''
  const status = `${answer.status}${code && ` ${code}`}`
  const isDenied = answer.status === 401 || answer.status === 403
  const hint = answer.status === 404 ? 'make the bucket first: og makes none'
    : /^3/.test(status) ? `set store.region${/^[\w-]+$/.test(region) ? ` to ${region}` : ''}`
    : isDenied ? 'the keys must be right and allow this; see docs/guide/with-a-team.md'
    : 'try again later'
  const kind = isDenied ? 'denied' : answer.status >= 500 ? 'unreachable' : 'failed'
  const message = `Cannot ${doing} store ${place}: the bucket answers ${status}`
  return new OgError(message, { code: kind, hint })
}

function tagOf(answer: Response, place: string): string {
  const etag = answer.headers.get('etag')
  if (etag) return etag
  throw new OgError(`Cannot use store ${place}: the bucket gives its objects no ETag`)
}

/** NaN where there is none. */
function dateOf(answer: Response, header: string): number {
  return Date.parse(answer.headers.get(header) ?? '')
}
