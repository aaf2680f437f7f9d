import { parseRanges, type AddressRange, isLoopbackHost } from '../../platform/web/address-rule.ts'
import { OgError, messageOf } from '../../platform/error.ts'
import { isTooDeep, parseJson } from '../../platform/json.ts'
import {
  endStreamOn,
  openHandlers,
  type RequestHandlers,
  onResponseSent,
  openBodyLimiter,
  type BodyLimits,
} from './request-handlers.ts'
import {
  openGate,
  jsonRpcRefusal,
  tooManyRequests,
  type Caller,
  type BearerKey,
} from './http-gate.ts'
import { openRateLimit } from './rate-limit.ts'
import type { Site } from './site.ts'
import type { Face } from '../server.ts'
import type { LocalClient } from '../../platform/web/peer-user.ts'
import type { Observer, ServedCall } from '../served-call.ts'

export type HttpOptions = {
  hostname: string
  port: number
  allowedHosts: readonly string[]
  /** Proxies with a trusted X-Forwarded-For header: addresses, networks or `*`. */
  proxies?: readonly string[]
  warn(line: string): void
  /**
   * Receives each request for the web page and each rejected request. Faces report their own calls.
   */
  observe?: Observer
  limits?: Partial<HttpLimits>
}

export type HttpLimits = BodyLimits & {
  perSecond: number
  burst: number
  /**
   * Time between reporting "not ready" and rejecting requests, so that a load balancer can redirect
   * them.
   */
  stopDelayMs: number
  drainMs: number
}

const defaultLimits: HttpLimits = {
  bodyBytes: 4 * 2 ** 20,
  totalBytes: 64 * 2 ** 20,
  bodyMs: 30_000,
  perSecond: 200,
  burst: 400,
  stopDelayMs: 0,
  drainMs: 5_000,
}

/**
 * `url` is the MCP endpoint. `close` reports "not ready", rejects new calls, and waits up to
 * `stopMs` milliseconds for running calls.
 */
export type HttpServer = { url: string; stopMs: number; close(): Promise<void> }

/**
 * Serves any number of clients over streamable HTTP without sessions. The gate (http-gate.ts)
 * checks requests first. `/health` is public and reports that the server is up and whether it has a
 * web page. `/ready` reports whether the server accepts requests and, to clients that may see
 * libraries, which libraries are open.
 * @throws OgError if the address is in use, or if it is not loopback and no key is set
 */
export function serveOverHttp<K extends BearerKey>(
  site: Site<K>,
  options: HttpOptions,
): HttpServer {
  const { hostname, port, warn } = options
  const limits = { ...defaultLimits, ...options.limits }
  if (site.isOpen && !isLoopbackHost(hostname)) throw missingKeyError(hostname, site.keyHint)
  const entries = openHandlers({ bodyBytes: limits.bodyBytes, warn })
  const bodies = openBodyLimiter(limits)
  const stopping = new AbortController()
  const parts = { entries, bodies, stopping: stopping.signal }
  const respond = openRoutes(site, { ...options, limits }, parts)
  const server = listen({
    hostname,
    port,
    maxRequestBodySize: limits.bodyBytes,
    // Bun's error page would show source code and local paths.
    development: false,
    // By default, Bun lets two servers share the port, so that clients reach either of them.
    reusePort: false,
    error: ({ message }) => {
      warn(message)
      return jsonRpcRefusal(500, 'Internal error')
    },
    // A call may index for minutes. The SDK keeps its stream alive.
    idleTimeout: 0,
    fetch(request, self) {
      const peer = self.requestIP(request)
      return respond(request, peer && { ...peer, calledPort: self.port ?? port })
    },
  })
  return {
    url: `http://${hostname.includes(':') ? `[${hostname}]` : hostname}:${server.port}/mcp`,
    stopMs: limits.stopDelayMs + limits.drainMs,
    async close() {
      site.readiness?.stop()
      await Bun.sleep(limits.stopDelayMs)
      stopping.abort()
      const drained = server.stop()
      site.page?.close()
      bodies.close()
      await Promise.race([drained, waitForPending(server), Bun.sleep(limits.drainMs)])
      await entries.close()
      await server.stop(true)
    },
  }
}

type Respond = (request: Request, client: LocalClient | null) => Response | Promise<Response>

type Parts = {
  entries: RequestHandlers
  bodies: ReturnType<typeof openBodyLimiter>
  stopping: AbortSignal
}

function openRoutes<K extends BearerKey>(
  site: Site<K>,
  options: HttpOptions & { limits: HttpLimits },
  { entries, bodies, stopping }: Parts,
): Respond {
  const { checkKey, page = null } = site
  const { hostname, allowedHosts, limits, observe, warn } = options
  const gate = openGate({ hostname, allowedHosts, rate: openRateLimit(limits) })
  const isProxy = parseRanges(options.proxies ?? [])
  const callerOf = (key: K | null) => site.callerOf?.(key) ?? null
  const callFace = (face: Face, request: Request, caller: Caller | null) =>
    bodies.read(request, async (whole, body) => {
      const text = caller && body[0] !== openBrace ? new TextDecoder().decode(body) : ''
      const wait = caller?.wait(await countMessages(text)) ?? 0
      if (wait > 0) return tooManyRequests(wait)
      // The SDK would parse the body and run all messages of a batch without counting them.
      if (isTooDeep(text)) return jsonRpcRefusal(400, 'The body is nested too deep')
      const ends = [stopping, ...(caller === null ? [] : [caller.revoked])]
      return entries.fetch(face, endStreamOn(whole, ends), { clientId: caller?.name ?? null, body })
    })
  const respond: Respond = (request, client) => {
    const path = pathOf(request)
    if (path === '/health') return Response.json({ status: 'ok', ...page?.parts })
    const pass = () => gate(request, clientAddress(request, client?.address ?? '', isProxy))
    if (path === '/ready') return answerReady(site, { request, pass, stopping })
    const passed = pass()
    if (passed !== null) return passed
    if (path === '/metrics' && site.metrics) return answerMetrics(site, request)
    const isPage = !/^\/mcp(?:\/|$)/.test(path)
    if (page && isPage) {
      return bodies.read(request, async (whole) => {
        const answer = await page.answer(whole, client)
        return isStreamed(answer) ? onResponseSent(answer, (it) => it && warn(it.message)) : answer
      })
    }
    const entry = checkKey(request)
    if (entry instanceof Response) return entry
    const place = /^\/mcp(?:\/([^/]+))?$/.exec(path)
    const face = place && site.faceAt(place[1] ?? null, entry.key)
    if (face === null) return jsonRpcRefusal(404, notFoundText(path))
    return callFace(face, request, callerOf(entry.key))
  }
  if (observe === undefined) return respond
  return async (request, client) => {
    const timing = { startedAt: Date.now(), start: performance.now() }
    const answer = await respond(request, client)
    const hasPath = (path: string) => ownPaths.has(path) || page?.hasPath(path) === true
    const report = () => {
      const call = toServedCall(request, answer, { ...timing, hasPath })
      if (call === null) return
      const entry = checkKey(request)
      const key =
        entry instanceof Response
          ? (page?.keyNameOf(request) ?? null)
          : (callerOf(entry.key)?.name ?? null)
      observe({ ...call, key })
    }
    if (isStreamed(answer)) return onResponseSent(answer, report)
    report()
    return answer
  }
}

function isStreamed({ headers }: Response): boolean {
  const isMarkup = headers.get('content-type')?.startsWith('text/html') === true
  return isMarkup && !headers.has('content-length')
}

const ownPaths = new Set(['/mcp', '/health', '/ready', '/metrics'])

/**
 * Reports the state to everyone. Lists the open libraries only for callers that pass the gate and
 * have a valid key.
 */
function answerReady<K extends BearerKey>(
  site: Site<K>,
  { request, pass, stopping }: { request: Request; pass(): Response | null; stopping: AbortSignal },
): Response | Promise<Response> {
  const isAsked = site.isOpen || request.headers.has('authorization')
  const entry = isAsked ? (pass() ?? site.checkKey(request)) : null
  const face = entry === null || entry instanceof Response ? null : site.faceAt(null, entry.key)
  if (site.readiness) return site.readiness.answer(face?.og ?? null)
  const [status, word] = stopping.aborted ? [503, 'stopping'] : [200, 'ready']
  return Response.json({ status: word }, { status })
}

async function answerMetrics<K extends BearerKey>(
  site: Site<K>,
  request: Request,
): Promise<Response> {
  const entry = site.checkKey(request)
  if (entry instanceof Response) return entry
  const text = await site.metrics?.(entry.key)
  if (text == null) return jsonRpcRefusal(403, 'This key may not read metrics')
  return new Response(text, { headers: { 'Content-Type': 'text/plain; version=0.0.4' } })
}

type RequestTiming = { startedAt: number; start: number; hasPath(path: string): boolean }

function toServedCall(
  request: Request,
  { status }: Response,
  { startedAt, start, hasPath }: RequestTiming,
): Omit<ServedCall, 'key'> | null {
  const path = pathOf(request)
  const isQuiet = /^\/(?:mcp|health|ready|metrics|assets)(?:\/|$)/.test(path)
  if ((isQuiet && status < 400) || path === '/ready') return null
  const isUsual = /^(?:GET|POST|HEAD|PUT|DELETE|OPTIONS)$/.test(request.method)
  const method = isUsual ? request.method : '?'
  // The path of an unknown page is not recorded, because clients without a key can choose it.
  const place = hasPath(path) || status < 300 ? path.slice(0, 200) : 'elsewhere'
  const parameters = new URLSearchParams(request.url.split('?')[1] ?? '')
  return {
    what: `${method} ${place}`,
    library: parameters.get('library')?.slice(0, 200) || null,
    query: parameters.get('q')?.slice(0, 2_000) || null,
    status,
    startedAt,
    ms: performance.now() - start,
  }
}

/** Counts the messages in a batch, so that a batch cannot bypass a limit. */
async function countMessages(text: string): Promise<number> {
  const batch = await Promise.try(() => parseJson(text)).catch(() => null)
  return Array.isArray(batch) ? Math.max(1, batch.length) : 1
}

/** A body that starts with a brace contains a single message. */
const openBrace = 0x7b

/** Polls, because `server.stop` would also wait for connections without a complete request. */
async function waitForPending(server: Bun.Server<undefined>): Promise<void> {
  do await Bun.sleep(pollMs)
  while (server.pendingRequests > 0)
}

const pollMs = 100

function listen(options: Bun.Serve.Options<undefined>): Bun.Server<undefined> {
  try {
    return Bun.serve(options)
  } catch (error) {
    throw new OgError(`Cannot serve: ${messageOf(error)}`, {
      hint: 'choose another address with --host and --port',
      cause: error,
    })
  }
}

/** Parses the path without `URL`, which throws if the Host header is malformed. */
function pathOf({ url }: Request): string {
  return url.replace(/^[a-z]+:\/\/[^/]*/i, '').replace(/[?#].*$/s, '')
}

function notFoundText(path: string): string {
  return path.startsWith('/mcp/') ? 'There is no such endpoint for you' : 'The endpoint is /mcp'
}

function missingKeyError(hostname: string, hint: string): OgError {
  const what = `Cannot serve at ${hostname} without a token: anybody there could search`
  return new OgError(what, { hint })
}

/**
 * Returns the client's IP address. If the peer is a trusted proxy, it is the last address in
 * X-Forwarded-For that is not a trusted proxy. Each proxy appends an address, so earlier entries
 * can be forged.
 */
export function clientAddress(request: Request, peer: string, isProxy: AddressRange): string {
  const header = request.headers.get('x-forwarded-for') ?? ''
  const forwarded = header
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
  const [farthest = peer] = forwarded
  if (!isProxy(peer)) return peer
  return forwarded.reverse().find((name) => !isProxy(name)) ?? farthest
}
