import type { StoreAccess } from '../../../src/store/remote/s3.ts'
import { s3, type Asked, type Body, type Kept } from './s3-server.ts'
import { serveLocal } from './serve-local.ts'

/**
 * In-memory object storage with one bucket, for the requests that og makes, with conditions and
 * faults.
 */
export type BucketServer = Disposable & {
  /** The value for `OG_DB_PATH`. */
  address: string
  access: StoreAccess
  /** The environment variables of `access`. */
  env: Record<string, string>
  objects: Map<string, Kept>
  /** `METHOD key`, one for each request. */
  asked: string[]
  /** Answers instead of the bucket. If this or its result is null, the bucket answers. */
  fault: ((asked: string, nth: number) => Response | null) | null
  /** Returns whether the bucket executes a request but its response is lost. */
  isLost: (asked: string, nth: number) => boolean
  /** The session token that keys of a role must have; null means that it is not checked. */
  sessionToken: string | null
  /** The server accepts requests and never answers them. */
  isHung: boolean
  /**
   * How far the server's clock is ahead of ours. Like S3, it rejects requests whose time differs by
   * fifteen minutes.
   */
  aheadMs: number
  /**
   * The server checks conditions, but not atomically with the write; `long` limits this to long
   * bodies.
   */
  isUnsafe: boolean | 'long'
  /** Returns an error answer of S3. */
  refused(status: number, code: string): Response
}

export function serveBucket(): BucketServer {
  const objects: BucketServer['objects'] = new Map()
  const server = serveLocal((request) => answer(request))
  const env = s3.env(server.port!)
  const endpoint = env.OG_STORE__ENDPOINT ?? null
  const unset = { endpoint, region: null, profile: null }
  const bucket: BucketServer = {
    address: s3.address,
    access: { ...unset, env: { ...env, HOME: '/nowhere' } },
    env,
    objects,
    asked: [],
    fault: null,
    isLost: () => false,
    isHung: false,
    sessionToken: null,
    aheadMs: 0,
    isUnsafe: false,
    refused: s3.refused,
    [Symbol.dispose]: () => void server.stop(true),
  }

  async function answer(request: Request): Promise<Response> {
    const url = new URL(request.url)
    const asking = s3.asked(request, url)
    const line = `${request.method} ${asking.does === 'list' ? '' : own(asking.key)}`
    bucket.asked.push(line)
    if (bucket.isHung) await new Promise(() => {})
    const body = new Uint8Array(await request.arrayBuffer())
    const nth = bucket.asked.filter((it) => it === line).length
    const now = Date.now() + bucket.aheadMs
    const token = request.headers.get('x-amz-security-token')
    const isExpired = bucket.sessionToken !== null && token !== bucket.sessionToken
    const given =
      bucket.fault?.(line, nth) ??
      (isExpired ? s3.refused(400, 'ExpiredToken') : null) ??
      s3.denied(request, { body, now }) ??
      (await kept(request, { asking, body }))
    if (bucket.isLost(line, nth)) return s3.refused(500, 'InternalError')
    given.headers.set('date', new Date(Date.now() + bucket.aheadMs).toUTCString())
    return given
  }

  async function kept(
    { method, headers: sent }: Request,
    { asking, body }: { asking: Asked; body: Body },
  ): Promise<Response> {
    if (asking.does === 'list') return list(asking)
    const key = own(asking.key)
    const found = objects.get(key)
    if (asking.does === 'delete') {
      return objects.delete(key) ? new Response(null, { status: 204 }) : s3.missing(asking.does)
    }
    if (asking.does === 'write') return write(key, body, asking)
    if (found === undefined) return s3.missing(asking.does)
    const headers = { etag: found.etag, 'last-modified': new Date(found.modified).toUTCString() }
    if (asking.unless === found.etag) return new Response(null, { status: 304, headers })
    return part(found.body, { method, range: sent.get('range'), about: headers })
  }

  async function write(
    key: string,
    body: Body,
    { is, unless }: { is: string | null; unless: string | null },
  ): Promise<Response> {
    const found = objects.get(key)
    const isOther = (is !== null && found?.etag !== is) || (unless !== null && found !== undefined)
    if (isOther) return s3.other(found !== undefined)
    const isLate = bucket.isUnsafe === 'long' ? body.length > 50_000 : bucket.isUnsafe
    if (isLate) await Bun.sleep(2)
    const etag = s3.tag(body)
    const written = { body, etag, modified: Date.now() + bucket.aheadMs }
    objects.set(key, written)
    return new Response('', { headers: { etag } })
  }

  /** Seven keys per page, so that every listing has several pages. */
  function list({ key, from, delimiter }: Asked & { does: 'list' }): Response {
    const prefix = own(key)
    const all = [...objects.keys()].filter((it) => it.startsWith(prefix)).sort()
    const isBelow = (it: string) => delimiter !== null && it.slice(prefix.length).includes('/')
    const keys = all.filter((it) => !isBelow(it))
    const folders = new Set(
      all.filter(isBelow).map((it) => `team/${it.slice(0, it.indexOf('/', prefix.length) + 1)}`),
    )
    const start = Number(from ?? 0)
    const page = keys.slice(start, start + 7).map((it) => {
      const { body, modified } = objects.get(it)!
      return { key: `team/${it}`, size: body.length, modified }
    })
    const next = start + 7 < keys.length ? String(start + 7) : null
    return new Response(s3.page({ objects: page, folders: [...folders], next }))
  }

  return bucket
}

function own(key: string): string {
  return key.replace(/^team\//, '')
}

type Reading = { method: string; range: string | null; about: Record<string, string> }

/** Answers LanceDB's read requests: the size of a file, its end, or a range. */
function part(body: Body, { method, range, about }: Reading): Response {
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
