import { open } from 'node:fs/promises'
import { OgError } from '../../platform/error.ts'
import {
  bodyPieces,
  bodyText,
  fetchWithRetry,
  NetworkError,
  type FetchOptions,
} from '../../platform/web/http.ts'
import type { BucketAddress } from './address.ts'
import {
  type StoreAccess,
  openS3,
  parseListing,
  type BucketRequest,
  type Condition,
  type FileWithSum,
  type ListedObject,
  type S3,
} from './s3.ts'

/** Text in the bucket. `etag` changes with it, and `modified` uses the bucket's clock. */
export type StoredText = { text: string; etag: string; modified: number }

type HeadLimit = { headMs?: number | undefined }

/**
 * Objects below one prefix. Keys are relative to it. Calls retry temporary failures. Every error is
 * an OgError that names the store and contains no secret keys.
 */
export type Bucket = {
  /** For example `s3://bucket/prefix`. */
  place: string
  /** Returns null if the object does not exist, or 'same' if its tag still equals `unless`. */
  read(key: string, unless?: string, limit?: HeadLimit): Promise<StoredText | null | 'same'>
  download(key: string, path: string): Promise<boolean>
  /** @returns the new tag, or null if the condition was false and nothing was written */
  write(key: string, body: string | FileWithSum, condition?: Condition): Promise<string | null>
  list(below: string): AsyncGenerator<ListedObject>
  delete(key: string): Promise<void>
  /** The bucket's clock in milliseconds since 1970, estimated from its last response. */
  now(): number
  /** Options with which LanceDB reads the bucket. They contain secret keys. */
  storage(): Promise<Record<string, string>>
}

export type BucketOptions = Pick<FetchOptions, 'attempts' | 'backoffMs' | 'timeoutMs'>

/** Opens a bucket. Sends no request before the first call. */
export function openBucket(
  { bucket, prefix }: BucketAddress,
  access: StoreAccess,
  options: BucketOptions = {},
): Bucket {
  const place = `s3://${bucket}/${prefix}`.replace(/\/$/, '')
  const s3 = openS3(bucket, access)
  const call = { place, s3, clock: { aheadMs: 0 }, options }
  const ask = <T>(request: TimedRequest, read: (answer: Response) => Promise<T>) =>
    answerTo(call, request, read)
  const full = (key: string) => prefix + key
  return {
    place,
    now: () => Date.now() + call.clock.aheadMs,
    storage: () => s3.storage(),
    read: (key, unless, { headMs } = {}) =>
      ask({ does: 'read', key: full(key), unless, headMs }, async (answer) => {
        if (answer.status === 304) return 'same'
        if (await isMissing(answer, place)) return null
        const text = await bodyText(answer, { url: place })
        const etag = tagOf(answer, place)
        return { text, etag, modified: dateOf(answer, 'last-modified') }
      }),
    download: (key, path) =>
      ask({ does: 'read', key: full(key) }, async (answer) => {
        if (await isMissing(answer, place)) return false
        await using file = await open(path, 'w')
        for await (const piece of bodyPieces(answer, { url: place })) await file.write(piece)
        await file.datasync()
        return true
      }),
    write: (key, body, { is } = {}) =>
      ask({ does: 'write', key: full(key), body, is }, async (answer) => {
        const text = await bodyText(answer, { url: place })
        if (answer.ok) return tagOf(answer, place)
        const { status } = answer
        const isOther = status === 412 || status === 409
        // A deleted object lacks the expected tag.
        if (is !== undefined && (isOther || (is !== null && status === 404))) return null
        throw refusal(answer, text, { place, doing: 'write' })
      }),
    async *list(below) {
      for (let next: string | null = ''; next !== null; ) {
        const request: BucketRequest = { does: 'list', key: full(below), next }
        const page = await ask(request, async (answer) => {
          const text = await bodyText(answer, { url: place })
          if (!answer.ok) throw refusal(answer, text, { place, doing: 'read' })
          return parseListing(text)
        })
        for (const object of page.objects) {
          // Skips keys that og did not create.
          if (!object.key.startsWith(prefix)) continue
          yield { ...object, key: object.key.slice(prefix.length) }
        }
        next = page.next
      }
    },
    delete: (key) =>
      ask({ does: 'delete', key: full(key) }, async (answer) => {
        const text = await bodyText(answer, { url: place })
        if (!answer.ok && answer.status !== 404) {
          throw refusal(answer, text, { place, doing: 'write' })
        }
      }),
  }
}

type BucketCall = {
  place: string
  s3: S3
  clock: { aheadMs: number }
  options: BucketOptions & Pick<FetchOptions, 'signal'>
  /** Set for the second attempt, which uses the bucket's clock because the bucket rejected ours. */
  isAgain?: true
}

type TimedRequest = BucketRequest & HeadLimit

/** @throws OgError `unreachable` if the head of the response does not arrive within `headMs` */
async function answerTo<T>(
  call: BucketCall,
  { headMs, ...request }: TimedRequest,
  read: (answer: Response) => Promise<T>,
): Promise<T> {
  if (headMs === undefined) return answerInTime(call, request, read)
  const late = new AbortController()
  const message = `Cannot reach store ${call.place}: no answer within ${headMs / 1000} s`
  const hint = 'check the network and the proxy settings'
  const why = new OgError(message, { code: 'unreachable', hint })
  const timer = setTimeout(() => late.abort(why), headMs)
  const timeout = new Promise<never>((_, reject) => {
    late.signal.addEventListener('abort', () => reject(why), { once: true })
  })
  const options = { ...call.options, signal: late.signal }
  const answer = answerInTime({ ...call, options }, request, (answer) => {
    clearTimeout(timer)
    return read(answer)
  })
  // The keys may also come from a server, and the abort signal does not reach that request.
  return Promise.race([answer, timeout]).finally(() => clearTimeout(timer))
}

async function answerInTime<T>(
  call: BucketCall,
  request: BucketRequest,
  read: (answer: Response) => Promise<T>,
): Promise<T> {
  const { place, s3, clock, options, isAgain } = call
  const now = new Date(Date.now() + clock.aheadMs)
  const { method, url, headers } = await s3.sign(request, now)
  const { body } = request
  const size = typeof body === 'object' ? body.size : 0
  const fetchOptions = {
    ...options,
    // The response starts only after everything was sent, so the limit allows for 200 KB per
    // second.
    timeoutMs: (options.timeoutMs ?? (request.does === 'write' ? 30_000 : 10_000)) + size / 200,
    method,
    headers,
    // A redirect would send the signed request to another server.
    connection: () => ({ url, headers: {}, init: { redirect: 'manual' as const } }),
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : Bun.file(body.path) }),
  }
  let isSkewed = false
  const response = fetchWithRetry(url, fetchOptions, async (answer) => {
    const aheadMs = dateOf(answer, 'date') - Date.now()
    // If the clocks differ by less than a response may take, use our clock.
    if (Number.isFinite(aheadMs)) clock.aheadMs = Math.abs(aheadMs) < 5_000 ? 0 : aheadMs
    const isDenied = answer.status === 401 || answer.status === 403
    isSkewed = isDenied && Math.abs(clock.aheadMs) > 60_000 && !isAgain
    return isSkewed ? (undefined as T) : read(answer)
  })
  const value = await response.catch((error) => {
    if (!(error instanceof NetworkError)) throw error
    const why = error.reason.replace(/^Cannot fetch "[^"]*": /, '')
    const message = `Cannot reach store ${place}: ${why}`
    // Omits the cause because its URL may contain a key.
    throw new OgError(message, { code: 'unreachable', hint: error.hint })
  })
  // The bucket rejected our clock, so sign the request again with the bucket's clock.
  return isSkewed ? answerInTime({ ...call, isAgain: true }, request, read) : value
}

async function isMissing(answer: Response, place: string): Promise<boolean> {
  if (answer.ok) return false
  const text = await bodyText(answer, { url: place })
  if (answer.status === 404 && codeIn(text) !== 'NoSuchBucket') return true
  throw refusal(answer, text, { place, doing: 'read' })
}

function codeIn(text: string): string {
  return /<Code>(\w{1,60})<\/Code>/.exec(text)?.[1] ?? ''
}

/** Reports only the error code because the rest of a response may repeat signed data. */
function refusal(
  answer: Response,
  text: string,
  { place, doing }: { place: string; doing: 'read' | 'write' },
): OgError {
  const code = codeIn(text)
  const status = `${answer.status}${code && ` ${code}`}`
  const isDenied = answer.status === 401 || answer.status === 403
  const hint =
    regionHint(answer) ??
    (answer.status === 404
      ? 'create the bucket first: og does not create buckets'
      : isDenied
        ? 'the keys must be right and allow this; see docs/guide/team.md'
        : 'try again later')
  const isOutage = answer.status === 429 || answer.status >= 500
  const kind = isDenied ? 'denied' : isOutage ? 'unreachable' : 'failed'
  const message = `Cannot ${doing} store ${place}: the bucket answers ${status}`
  return new OgError(message, { code: kind, hint })
}

function regionHint({ status, headers }: Response): string | null {
  const region = headers.get('x-amz-bucket-region') ?? ''
  const isElsewhere = status >= 300 && status < 400
  return isElsewhere ? `set store.region${/^[\w-]+$/.test(region) ? ` to ${region}` : ''}` : null
}

function tagOf(answer: Response, place: string): string {
  const etag = answer.headers.get('etag')
  if (etag) return etag
  throw new OgError(`Cannot use store ${place}: the bucket returns no ETag`)
}

/** Returns NaN if the header is missing. */
function dateOf(answer: Response, header: string): number {
  return Date.parse(answer.headers.get(header) ?? '')
}
