import { createHash, timingSafeEqual } from 'node:crypto'
import { isIP } from 'node:net'
import {
  createMcpHandler,
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  originValidationResponse,
} from '@modelcontextprotocol/server'
import { OgError, messageOf } from '../platform/error.ts'
import { watchLibraries } from './changes.ts'
import { openRateLimit, type RateLimit } from './rate-limit.ts'
import { openServer, type Face } from './server.ts'

export type HttpOptions = {
  hostname: string
  /** 0: one that is free. */
  port: number
  /** Who calls must send it as `Authorization: Bearer TOKEN`; null: nobody is asked. */
  token: string | null
  /** Names, beside this machine's own, by which clients may call this server. */
  allowedHosts: readonly string[]
  warn(line: string): void
  limits?: Partial<HttpLimits>
}

export type HttpLimits = {
  bodyBytes: number
  /** Requests a second and address, and how many may come at once. */
  perSecond: number
  burst: number
  /** How long calls under way may go on after the end was asked for. */
  drainMs: number
}

const defaultLimits: HttpLimits = {
  bodyBytes: 4 * 2 ** 20,
  perSecond: 200,
  burst: 400,
  drainMs: 5_000,
}

/** `url` is the endpoint; `close` takes no new calls and lets those under way end. */
export type HttpServer = { url: string; close(): Promise<void> }

/**
 * Serves any number of clients over streamable HTTP at `/mcp`; no session is kept between calls.
 * Requests with a foreign Host or Origin are refused (DNS rebinding), and no CORS header is sent.
 * @throws OgError where the address is taken, and beyond this machine without a token.
 */
export function serveOverHttp(face: Face, options: HttpOptions): HttpServer {
  const { hostname, port, token, warn } = options
  const limits = { ...defaultLimits, ...options.limits }
  if (token === null && !isLoopback(hostname)) throw openToAll(hostname)
  const entry = createMcpHandler(() => openServer(face), {
    maxRequestBodySize: limits.bodyBytes,
    onerror: ({ message }) => warn(message),
  })
  const gate = openGate(options, openRateLimit(limits))
  const { og } = face
  const changes = og && watchLibraries(og, () => entry.notify.resourcesChanged())
  const server = listen({
    hostname,
    port,
    maxRequestBodySize: limits.bodyBytes,
    // Its page of an error shows the source, and where on this machine it lies.
    development: false,
    // Implied otherwise: two servers would share the port, and clients meet either.
    reusePort: false,
    error: ({ message }) => {
      warn(message)
      return refusal(500, 'Internal error')
    },
    // A call may index for minutes; the SDK keeps its stream alive.
    idleTimeout: 0,
    fetch: (request, self) =>
      gate(request, self.requestIP(request)?.address ?? '') ?? entry.fetch(request),
  })
  return {
    url: `http://${hostname.includes(':') ? `[${hostname}]` : hostname}:${server.port}/mcp`,
    async close() {
      changes?.[Symbol.dispose]()
      const drained = server.stop()
      await Promise.race([drained, Bun.sleep(limits.drainMs)])
      await entry.close()
      await server.stop(true)
    },
  }
}

type Serving = Bun.Serve.Options<undefined>

function listen(options: Serving): Bun.Server<undefined> {
  try {
    return Bun.serve(options)
  } catch (error) {
    throw new OgError(`Cannot serve: ${messageOf(error)}`, {
      hint: 'name another address by --host and --port',
      cause: error,
    })
  }
}

/** The answer to a request that is turned away; null where it may pass. */
type Gate = (request: Request, address: string) => Response | null

function openGate({ hostname, token, allowedHosts }: HttpOptions, rate: RateLimit): Gate {
  const names = [...localhostAllowedHostnames(), ...allowedHosts]
  if (!isWildcard(hostname)) names.push(hostname.includes(':') ? `[${hostname}]` : hostname)
  const wanted = token === null ? null : digest(`Bearer ${token}`)
  return (request, address) => {
    const waitSeconds = rate(address)
    if (waitSeconds > 0) {
      const headers = { 'Retry-After': String(Math.ceil(waitSeconds)) }
      return refusal(429, 'Too many requests', headers)
    }
    if (pathOf(request) !== '/mcp') return refusal(404, 'The endpoint is /mcp')
    const host = request.headers.get('host') ?? ''
    // Only names can be rebound; whoever listens on every address is called by any of them.
    const isAddress = isWildcard(hostname) && isIP(hostOf(host)) !== 0
    const foreign =
      (isAddress ? undefined : hostHeaderValidationResponse(request, names)) ??
      originValidationResponse(request, isAddress ? [...names, bracketed(hostOf(host))] : names)
    if (foreign !== undefined) return foreign
    if (wanted !== null && !timingSafeEqual(digest(bearerOf(request)), wanted)) {
      return refusal(401, 'Unauthorized', { 'WWW-Authenticate': 'Bearer' })
    }
    return null
  }
}

/** Not by URL: a request with an odd Host has one that does not parse. */
function pathOf({ url }: Request): string {
  return url.replace(/^[a-z]+:\/\/[^/]*/i, '').replace(/[?#].*$/s, '')
}

function bearerOf(request: Request): string {
  return (request.headers.get('authorization') ?? '').replace(/^bearer +/i, 'Bearer ')
}

/** Of one length whatever was sent, so that comparing takes one time. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

function refusal(status: number, message: string, headers: Record<string, string> = {}): Response {
  const error = { code: -32_000, message }
  return Response.json({ jsonrpc: '2.0', error, id: null }, { status, headers })
}

function hostOf(header: string): string {
  return header.replace(/:\d+$/, '').replace(/^\[|\]$/g, '')
}

function bracketed(address: string): string {
  return address.includes(':') ? `[${address}]` : address
}

function isWildcard(hostname: string): boolean {
  return hostname === '0.0.0.0' || hostname === '::'
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '::1' || /^127(\.\d+){3}$/.test(hostname)
}

function openToAll(hostname: string): OgError {
  return new OgError(`Cannot serve at ${hostname} without a token: anybody there could search`, {
    hint: 'name a file that holds one by --token-file, or put it into OG_SERVE_TOKEN',
  })
}
