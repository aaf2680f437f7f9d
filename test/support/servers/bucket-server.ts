import type { StoreAccess } from '../../../src/store/remote/credentials.ts'
import { sha256 } from '../../../src/platform/hash.ts'

/** An S3 server of one bucket, in memory: what og asks of one, with conditions, and faults. */
export type BucketServer = Disposable & {
  /** For `OG_DB_PATH`. */
  address: string
  access: StoreAccess
  /** The variables of `access`. */
  env: Record<string, string>
  objects: Map<string, Kept>
  /** `METHOD key`, one for each request. */
  asked: string[]
  /** Answers in place of the bucket; null: the bucket does. */
  fault: ((asked: string, nth: number) => Response | null) | null
  /** Whether a request is obeyed and its answer lost on the way. */
  isLost: (asked: string, nth: number) => boolean
  /** Its clock is so far ahead of ours; as S3, it refuses who differs by a quarter of an hour. */
  aheadMs: number
  /** Conditions are looked at, but not in one step with the write; or not of what is long. */
  isUnsafe: boolean | 'long'
}

type Kept = { body: Uint8Array<ArrayBuffer>; etag: string; modified: number }

export const secret = 'wJalrXUtnFEMI-never-to-be-printed'

export function serveBucket(): BucketServer {
  const objects: BucketServer['objects'] = new Map()
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: (request) => answer(request) })
  const endpoint = `http://127.0.0.1:${server.port}`
  const env = { AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE', AWS_SECRET_ACCESS_KEY: secret }
  const bucket: BucketServer = {
    address: 's3://docs/team',
    access: { endpoint, region: null, profile: null, env: { ...env, HOME: '/nowhere' } },
    env: { ...env, AWS_ENDPOINT_URL_S3: endpoint },
    objects,
    asked: [],
    fault: null,
    isLost: () => false,
    aheadMs: 0,
    isUnsafe: false,
    [Symbol.dispose]: () => void server.stop(true),
  }

  async function answer(request: Request): Promise<Response> {
    const url = new URL(request.url)
    const key = decodeURIComponent(url.pathname).replace(/^\/docs\/(team\/)?/, '')
    const asked = `${request.method} ${key}`
    bucket.asked.push(asked)
    const body = new Uint8Array(await request.arrayBuffer())
    const nth = bucket.asked.filter((it) => it === asked).length
    const given = bucket.fault?.(asked, nth) ?? (await kept(request, { url, key, body }))
    if (bucket.isLost(asked, nth)) return refused(500, 'InternalError')
    given.headers.set('date', new Date(Date.now() + bucket.aheadMs).toUTCString())
    return given
  }

  async function kept(
    { method, headers }: Request,
    { url, key, body }: { url: URL; key: string; body: Uint8Array<ArrayBuffer> },
  ): Promise<Response> {
    const signed = headers.get('authorization') ?? ''
    if (!signed.includes('Credential=AKIDEXAMPLE/')) return refused(403, 'InvalidAccessKeyId')
    const sum = headers.get('x-amz-content-sha256')
    // LanceDB signs what it reads without a sum.
    const isUnsummed = sum === 'UNSIGNED-PAYLOAD' && body.length === 0
    if (sum !== sha256(body) && !isUnsummed) return refused(400, 'BadDigest')
    const at = (headers.get('x-amz-date') ?? '').replace(/^(....)(..)(..T..)(..)/, '$1-$2-$3:$4:')
    const skew = Math.abs(Date.parse(at) - Date.now() - bucket.aheadMs)
    if (!(skew < 900_000)) return refused(403, 'RequestTimeTooSkewed')
    if (url.searchParams.has('list-type')) return list(url.searchParams)
    if (method === 'DELETE') return objects.delete(key), new Response(null, { status: 204 })
    if (method === 'PUT') return write(key, { body, headers })
    const found = objects.get(key)
    if (found === undefined) return refused(404, 'NoSuchKey')
    const about = { etag: found.etag, 'last-modified': new Date(found.modified).toUTCString() }
    if (headers.get('if-none-match') === found.etag) {
      return new Response(null, { status: 304, headers: about })
    }
    return part(found.body, { method, range: headers.get('range'), about })
  }

  async function write(
    key: string, { body, headers }: { body: Uint8Array<ArrayBuffer>; headers: Headers },
  ): Promise<Response> {
    const is = headers.get('if-match')
    const found = objects.get(key)
    if (is !== null && found === undefined) return refused(404, 'NoSuchKey')
    if (is !== null && found?.etag !== is) return refused(412, 'PreconditionFailed')
    if (headers.has('if-none-match') && found) return refused(412, 'PreconditionFailed')
    const isLate = bucket.isUnsafe === 'long' ? body.length > 50_000 : bucket.isUnsafe
    if (isLate) await Bun.sleep(2)
    const etag = `"${sha256(body).slice(0, 32)}"`
    objects.set(key, { body, etag, modified: Date.now() + bucket.aheadMs })
    return new Response(null, { headers: { etag } })
  }

  /** As LanceDB reads: a file's size, its end, a part of it. */
  function part(
    body: Uint8Array<ArrayBuffer>,
    { method, range, about }: {
      method: string
      range: string | null
      about: Record<string, string>
    },
  ): Response {
    const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(range ?? '') ?? []
    if (first + last === '') {
      const length = { 'content-length': String(body.length) }
      if (method === 'HEAD') return new Response(null, { headers: { ...about, ...length } })
      return new Response(body, { headers: about })
    }
    const from = first === '' ? Math.max(0, body.length - Number(last)) : Number(first)
    const to = first === '' || last === '' ? body.length : Math.min(body.length, Number(last) + 1)
    const place = { 'content-range': `bytes ${from}-${to - 1}/${body.length}` }
    return new Response(body.slice(from, to), { status: 206, headers: { ...about, ...place } })
  }

  /** Seven to a page, so that every listing has several. */
  function list(query: URLSearchParams): Response {
    const prefix = query.get('prefix')!.replace(/^team\//, '')
    const all = [...objects.keys()].filter((key) => key.startsWith(prefix)).sort()
    const delimiter = query.get('delimiter') ?? ''
    const isBelow = (key: string) => delimiter !== '' && key.slice(prefix.length).includes('/')
    const keys = all.filter((key) => !isBelow(key))
    const folders = new Set(all.filter(isBelow).map((key) =>
      key.slice(0, key.indexOf('/', prefix.length) + 1)))
    const from = Number(query.get('continuation-token') ?? 0)
    const contents = keys.slice(from, from + 7).map((key) => {
      const { body, modified } = objects.get(key)!
      return `<Contents><Key>team/${key}</Key><LastModified>${new Date(modified).toISOString()}` +
        `</LastModified><Size>${body.length}</Size>` +
        '<ETag>"tag"</ETag></Contents>'
    })
    const next = from + 7 < keys.length
      ? `<NextContinuationToken>${from + 7}</NextContinuationToken>` : ''
    const below = [...folders].map((it) =>
      `<CommonPrefixes><Prefix>team/${it}</Prefix></CommonPrefixes>`)
    const listed = [...contents, ...below, next].join('')
    return new Response(`<ListBucketResult>${listed}</ListBucketResult>`)
  }

  return bucket
}

/** As S3 says no; the answer repeats what was signed, which is not to be printed. */
export function refused(status: number, code: string): Response {
  const text = `<Error><Code>${code}</Code><AWSAccessKeyId>AKIDEXAMPLE</AWSAccessKeyId></Error>`
  return new Response(text, { status })
}
