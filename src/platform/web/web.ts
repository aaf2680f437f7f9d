import { openAddressRule, type AddressRule, type HostLookup } from './address-rule.ts'
import { decodePieces } from './encoding.ts'
import {
  bodyPieces,
  fetchWithRetry,
  NetworkError,
  printableUrl,
  type FetchOptions,
} from './http.ts'
import type { Reach } from '../reach.ts'

/** Fetches untrusted pages. Private networks are unreachable, and size and time are limited. */
export type Web = {
  /** Allows the network of a URL that the user chose. Has no effect for an agent. */
  trust(url: string): Promise<void>
  /**
   * Fetches, follows redirects, and retries like `fetchWithRetry`.
   * @throws NetworkError if no complete response arrived; OgError if the URL is not allowed
   */
  fetch<T>(url: string, request: WebRequest, read: (answer: HttpResponse) => Promise<T>): Promise<T>
}

export type WebRequest = Pick<FetchOptions, 'attempts' | 'sleep' | 'signal'> & {
  /** Called for every URL in a redirect chain, so that secrets are sent only to their own host. */
  headers?: (url: URL) => Record<string, string>
  /** Returns true to follow a redirect. Other redirects become a response with `location`. */
  mayFollow?: (url: URL) => Promise<boolean>
}

export type HttpResponse = {
  url: string
  status: number
  headers: Headers
  /** The target of a redirect that was not followed, or null. */
  location: string | null
  /** The decompressed body. @throws NetworkError if the body exceeds the limits */
  pieces(limits: ResponseLimits): AsyncGenerator<Uint8Array>
  bytes(limits: ResponseLimits): Promise<Uint8Array>
}

/** Limits on a body. `timeoutMs` applies to the whole body, however slowly it arrives. */
type ResponseLimits = { sizeBytes: number; timeoutMs: number }

export type WebOptions = {
  userAgent: string
  lookup?: HostLookup
  env?: ProxyEnvironment
  /** The limits of an agent; null if a person chose the source. */
  reach?: Reach | null
  /** Maximum time without data; 30 s by default. */
  timeoutMs?: number
  backoffMs?: number
  /** Certificates to trust instead of the system's. */
  ca?: string
}

export function openWeb(options: WebOptions): Web {
  const { lookup, reach, env = process.env } = options
  const rule = openAddressRule({ lookup, reach, isProxied: (url) => isProxied(url, env) })
  return {
    trust: (url) => rule.allow(new URL(url)),
    fetch: (url, request, read) => follow({ options, rule, request }, new URL(url), read),
  }
}

type WebCall = { options: WebOptions; rule: AddressRule; request: WebRequest }

const maxRedirects = 10

async function follow<T>(
  call: WebCall,
  first: URL,
  read: (answer: HttpResponse) => Promise<T>,
): Promise<T> {
  const visited = new Set<string>()
  for (let url = first; ; ) {
    if (visited.has(url.href)) throw fetchError(first.href, 'it redirects in a circle')
    if (visited.size > maxRedirects)
      throw fetchError(first.href, `more than ${maxRedirects} redirects`)
    visited.add(url.href)
    const outcome = await askOnce(call, url, read)
    if ('value' in outcome) return outcome.value
    url = outcome.next
  }
}

type Outcome<T> = { value: T } | { next: URL }

async function askOnce<T>(
  { options, rule, request }: WebCall,
  url: URL,
  read: (answer: HttpResponse) => Promise<T>,
): Promise<Outcome<T>> {
  const { timeoutMs, backoffMs, ca } = options
  const { attempts, sleep, signal, mayFollow = async () => true } = request
  const addresses = await rule.addresses(url)
  let turn = 0
  const headers = {
    'user-agent': options.userAgent,
    'accept-encoding': encodings,
    ...request.headers?.(url),
  }
  const connection = () => connectionTo(url, { address: addresses[turn++ % addresses.length], ca })
  const http = { headers, attempts, sleep, signal, timeoutMs, backoffMs, connection }
  return withEachAddress(addresses.length, () =>
    fetchWithRetry(url.href, http, async (response) => {
      const next = locationOf(response, url)
      if (next && (await mayFollow(next))) {
        await response.body?.cancel()
        return { next }
      }
      const answer = answerOf(response, { url: url.href, location: next?.href ?? null, ...http })
      return { value: await read(answer) }
    }),
  )
}

const encodings = 'gzip, deflate, br'

/** Tries the next address if one fails, for example on a network without IPv6. */
async function withEachAddress<T>(count: number, ask: () => Promise<T>): Promise<T> {
  for (let left = count - 1; ; left--) {
    try {
      return await ask()
    } catch (error) {
      const isOther = error instanceof NetworkError && isUnreachable(error)
      if (left <= 0 || !isOther) throw error
    }
  }
}

function isUnreachable({ cause }: NetworkError): boolean {
  const { code } = (cause ?? {}) as { code?: string }
  return code === 'ConnectionRefused' || code === 'ECONNREFUSED' || code === 'ENETUNREACH'
}

/**
 * Connects to the address that was checked, because the name may resolve to a different host when
 * fetched. Redirects and decompression are handled here and not by the runtime, so that limits
 * apply.
 */
function connectionTo(
  url: URL,
  { address, ca }: { address: string | undefined; ca: string | undefined },
): ReturnType<NonNullable<FetchOptions['connection']>> {
  const init: BunFetchRequestInit = { redirect: 'manual', decompress: false }
  if (ca !== undefined) init.tls = { ca }
  if (address === undefined) return { url: url.href, headers: {}, init }
  const direct = new URL(url)
  direct.hostname = address.includes(':') ? `[${address}]` : address
  if (url.protocol === 'https:') init.tls = { ...init.tls, serverName: url.hostname }
  return { url: direct.href, headers: { host: url.host }, init }
}

function locationOf(response: Response, from: URL): URL | null {
  const isRedirect = [301, 302, 303, 307, 308].includes(response.status)
  const location = isRedirect ? response.headers.get('location') : null
  if (location === null || !URL.canParse(location, from.href)) return null
  const next = new URL(location, from)
  if (!/^https?:$/.test(next.protocol))
    throw fetchError(from.href, `it redirects to ${next.protocol}`)
  next.hash = ''
  return next
}

function answerOf(
  response: Response,
  place: { url: string; location: string | null; timeoutMs?: number; signal?: AbortSignal },
): HttpResponse {
  const pieces = (limits: ResponseLimits) => {
    const body = bodyPieces(response, place)
    const encoding = response.headers.get('content-encoding')
    return limitBody(decodePieces(body, { encoding, url: place.url }), {
      ...limits,
      url: place.url,
    })
  }
  const { url, location } = place
  return {
    url,
    location,
    status: response.status,
    headers: response.headers,
    pieces,
    bytes: async (limits) => Buffer.concat(await Array.fromAsync(pieces(limits))),
  }
}

async function* limitBody(
  pieces: AsyncIterable<Uint8Array>,
  { sizeBytes, timeoutMs, url }: ResponseLimits & { url: string },
): AsyncGenerator<Uint8Array> {
  const until = performance.now() + timeoutMs
  let length = 0
  for await (const piece of pieces) {
    length += piece.length
    if (length > sizeBytes) throw fetchError(url, `longer than ${sizeBytes / 2 ** 20} MB`)
    if (performance.now() > until) throw fetchError(url, `not whole after ${timeoutMs / 1000} s`)
    yield piece
  }
}

function fetchError(url: string, reason: string): NetworkError {
  const message = `Cannot fetch "${printableUrl(url)}": ${reason}`
  return new NetworkError(message, { isTransient: false })
}

export type ProxyEnvironment = Readonly<Record<string, string | undefined>>

/**
 * True if requests for this URL go through a proxy, according to the variables that `fetch` obeys:
 * HTTP_PROXY, HTTPS_PROXY and NO_PROXY, also in lower case.
 */
export function isProxied(url: URL, env: ProxyEnvironment): boolean {
  const name = url.protocol === 'https:' ? 'https_proxy' : 'http_proxy'
  const proxy = env[name] ?? env[name.toUpperCase()] ?? ''
  return proxy !== '' && !isExempt(url, env.no_proxy ?? env.NO_PROXY ?? '')
}

/** True if NO_PROXY lists `*`, or the host or its domain, with or without the port. */
function isExempt(url: URL, list: string): boolean {
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const port = url.port || (url.protocol === 'https:' ? '443' : '80')
  return list.split(',').some((item) => {
    const entry = item.trim().toLowerCase()
    if (entry === '*') return true
    const [, name = entry, entryPort] = /^(\[.*\]|[^:]*)(?::(\d+))?$/.exec(entry) ?? []
    const domain = name.replace(/^\[|\]$|^\*?\./g, '')
    if (domain === '' || (entryPort !== undefined && entryPort !== port)) return false
    return host === domain || host.endsWith(`.${domain}`)
  })
}
