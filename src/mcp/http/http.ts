import { createMcpHandler } from '@modelcontextprotocol/server'
import { parseRanges } from '../../platform/web/address-range.ts'
import { isLoopbackHost } from '../../platform/web/address-rule.ts'
import { OgError, messageOf } from '../../platform/error.ts'
import { isTooDeep, parseJson } from '../../platform/json.ts'
import { watchLibraries } from '../docs/changes.ts'
import { clientAddress } from './client-address.ts'
import { openBodies, type BodyLimits } from './http-body.ts'
import {
  openGate, openLock, refusal, tooMany, type Caller, type Key, type KeyCheck,
} from './http-gate.ts'
import { openRateLimit } from './rate-limit.ts'
import type { Readiness } from './readiness.ts'
import type { Observer, ServedCall } from '../served-call.ts'
import { openServer, type Face } from '../server.ts'
import { whenSent } from './when-sent.ts'
import type { LocalClient } from '../../platform/web/peer-user.ts'

/** What is served: at `/mcp`, and at `/mcp/NAME` where there are several. */
export type Site<K extends Key = Key> = {
  /** Says with which key a request comes, or what it is answered without one. */
  lock: KeyCheck<K>
  /** Nobody is asked who they are. */
  isOpen: boolean
  /** Where a key can be named, for who has to. */
  keyHint: string
  /**
   * The face behind a name, encoded as in the path and null at `/mcp`, for who came with `key`;
   * null: none. The same one each time, since what is open is kept with it.
   */
  faceAt(name: string | null, key: K | null): Face | null
  /** Who calls with a key that has limits of its own; null: those of its address are all. */
  callerOf?(key: K | null): Caller | null
  /** Answers at every other path, and asks itself who it is; without it there is nothing else. */
  page?: SitePage | null
  /** What `/ready` answers; without it the server is ready until it stops. */
  readiness?: Readiness | null
  /** What `/metrics` answers who comes with a key; null: that one may not read it. */
  metrics?: ((key: K | null) => Promise<string> | null) | null
}

export type SitePage = {
  /** `client` is the other end of the connection; null: nobody knows it. */
  answer(request: Request, client: LocalClient | null): Promise<Response>
  /** The name of the key that a request comes with, by header or cookie; null: none is known. */
  keyNameOf(request: Request): string | null
  /** Whether something is at this path, whoever asks. */
  isPlace(path: string): boolean
  close(): void
  /** What `/health` says of it: the paths of its parts by their names. */
  parts: Readonly<Record<string, string>>
}

export type HttpOptions = {
  hostname: string
  /** 0: one that is free. */
  port: number
  /** Names, beside this machine's own, by which clients may call this server. */
  allowedHosts: readonly string[]
  /** Proxies whose X-Forwarded-For is believed: addresses, networks, `*`. */
  proxies?: readonly string[]
  warn(line: string): void
  /** Told of each page, and of each request that was refused; the faces tell of calls. */
  observe?: Observer
  limits?: Partial<HttpLimits>
}

export type HttpLimits = BodyLimits & {
  /** Requests a second and address, and how many may come at once. */
  perSecond: number
  burst: number
  /** How long it goes on as before, but not ready, so that a balancer looks elsewhere first. */
  stopDelayMs: number
  /** How long calls under way may go on after that. */
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
 * `url` is the endpoint; `close` says that it is not ready, then takes no new calls and lets those
 * under way end.
 */
export type HttpServer = { url: string; close(): Promise<void> }

/** One face, for whoever sends `token`; null: for everybody. */
export function siteOf(
  face: Face,
  token: string | null,
  parts: Pick<Site, 'page' | 'readiness' | 'metrics'> = {},
): Site {
  return {
    ...parts,
    lock: openLock(token === null ? [] : [{ secret: token }]),
    isOpen: token === null,
    keyHint: 'name a file that holds one by --token-file, or put it into OG_SERVE_TOKEN',
    faceAt: (name) => (name === null ? face : null),
  }
}

/**
 * Serves any number of clients over streamable HTTP; no session is kept between calls. What the
 * gate refuses see there. `/health` answers everybody that the server is up, and whether it has a
 * page; `/ready` whether it wants requests, and who may see libraries which of them are open. No
 * CORS header is sent.
 * @throws OgError where the address is taken, and beyond this machine without a key.
 */
export function serveOverHttp<K extends Key>(site: Site<K>, options: HttpOptions): HttpServer {
  const { hostname, port, warn } = options
  const limits = { ...defaultLimits, ...options.limits }
  if (site.isOpen && !isLoopbackHost(hostname)) throw openToAll(hostname, site.keyHint)
  const entries = openEntries({ bodyBytes: limits.bodyBytes, warn })
  const bodies = openBodies(limits)
  const stopping = new AbortController()
  const parts = { entries, bodies, stopping: stopping.signal }
  const respond = openRoutes(site, { ...options, limits }, parts)
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
    fetch(request, self) {
      const peer = self.requestIP(request)
      return respond(request, peer && { ...peer, calledPort: self.port ?? port })
    },
  })
  return {
    url: `http://${hostname.includes(':') ? `[${hostname}]` : hostname}:${server.port}/mcp`,
    async close() {
      site.readiness?.stop()
      await Bun.sleep(limits.stopDelayMs)
      stopping.abort()
      const drained = server.stop()
      site.page?.close()
      bodies.close()
      await Promise.race([drained, allAnswered(server), Bun.sleep(limits.drainMs)])
      await entries.close()
      await server.stop(true)
    },
  }
}

type Respond = (request: Request, client: LocalClient | null) => Response | Promise<Response>

type Parts = {
  entries: ReturnType<typeof openEntries>
  bodies: ReturnType<typeof openBodies>
  stopping: AbortSignal
}

/** What a request is answered. */
function openRoutes<K extends Key>(
  site: Site<K>,
  options: HttpOptions & { limits: HttpLimits },
  { entries, bodies, stopping }: Parts,
): Respond {
  const { lock, page = null } = site
  const { hostname, allowedHosts, limits, observe } = options
  const gate = openGate({ hostname, allowedHosts, rate: openRateLimit(limits) })
  const isProxy = parseRanges(options.proxies ?? [])
  const callerOf = (key: K | null) => site.callerOf?.(key) ?? null
  const callFace = (face: Face, request: Request, caller: Caller | null) =>
    bodies.read(request, async (whole, body) => {
      const text = caller && body[0] !== openBrace ? new TextDecoder().decode(body) : ''
      const wait = caller?.wait(await messagesIn(text)) ?? 0
      if (wait > 0) return tooMany(wait)
      // The SDK would read it, and run each of the messages that nobody has counted.
      if (isTooDeep(text)) return refusal(400, 'The body is nested too deep')
      const ends = [stopping, ...(caller === null ? [] : [caller.revoked])]
      return entries.fetch(face, listening(whole, ends), caller?.name ?? null)
    })
  const respond: Respond = (request, client) => {
    const path = pathOf(request)
    if (path === '/health') return Response.json({ status: 'ok', ...page?.parts })
    const pass = () => gate(request, clientAddress(request, client?.address ?? '', isProxy))
    if (path === '/ready') return readyAnswer(site, { request, pass, stopping })
    const passed = pass()
    if (passed !== null) return passed
    if (path === '/metrics' && site.metrics) return metricsAnswer(site, request)
    const isPage = !/^\/mcp(?:\/|$)/.test(path)
    if (page && isPage) return bodies.read(request, (whole) => page.answer(whole, client))
    const entry = lock(request)
    if (entry instanceof Response) return entry
    const place = /^\/mcp(?:\/([^/]+))?$/.exec(path)
    const face = place && site.faceAt(place[1] ?? null, entry.key)
    if (face === null) return refusal(404, notFound(path))
    return callFace(face, request, callerOf(entry.key))
  }
  if (observe === undefined) return respond
  return async (request, client) => {
    const began = { startedAt: Date.now(), start: performance.now() }
    const answer = await respond(request, client)
    const isPlace = (path: string) => ownPaths.has(path) || page?.isPlace(path) === true
    const call = requestCall(request, answer, { ...began, isPlace })
    if (call === null) return answer
    const entry = lock(request)
    const key = entry instanceof Response
      ? page?.keyNameOf(request) ?? null
      : callerOf(entry.key)?.name ?? null
    observe({ ...call, key })
    return answer
  }
}

const ownPaths = new Set(['/mcp', '/health', '/ready', '/metrics'])

type ReadyRequest = { request: Request; pass(): Response | null; stopping: AbortSignal }

/** How it is, for everybody; what is open only for who passes the gate and the lock. */
function readyAnswer<K extends Key>(
  site: Site<K>, { request, pass, stopping }: ReadyRequest,
): Response | Promise<Response> {
  const isAsked = site.isOpen || request.headers.has('authorization')
  const entry = isAsked ? pass() ?? site.lock(request) : null
  const face = entry === null || entry instanceof Response ? null : site.faceAt(null, entry.key)
  if (site.readiness) return site.readiness.answer(face?.og ?? null)
  const [status, word] = stopping.aborted ? [503, 'stopping'] : [200, 'ready']
  return Response.json({ status: word }, { status })
}

/** As Prometheus reads it. */
async function metricsAnswer<K extends Key>(site: Site<K>, request: Request): Promise<Response> {
  const entry = site.lock(request)
  if (entry instanceof Response) return entry
  const text = await site.metrics?.(entry.key)
  if (text == null) return refusal(403, 'This key may not read metrics')
  return new Response(text, { headers: { 'Content-Type': 'text/plain; version=0.0.4' } })
}

type Began = { startedAt: number; start: number; isPlace(path: string): boolean }

/** A request as a call; null of those that faces tell of, and of what nobody asks for by itself. */
function requestCall(
  request: Request,
  { status }: Response,
  { startedAt, start, isPlace }: Began,
): Omit<ServedCall, 'key'> | null {
  const path = pathOf(request)
  const isQuiet = /^\/(?:mcp|health|ready|metrics|assets)(?:\/|$)/.test(path)
  if (isQuiet && status < 400 || path === '/ready') return null
  const isUsual = /^(?:GET|POST|HEAD|PUT|DELETE|OPTIONS)$/.test(request.method)
  const method = isUsual ? request.method : '?'
  // Whoever asks for what is not there chooses its name, and needs no key for that.
  const place = isPlace(path) || status < 300 ? path.slice(0, 200) : 'elsewhere'
  const parameters = new URLSearchParams(request.url.split('?')[1] ?? '')
  return {
    what: `${method} ${place}`,
    library: parameters.get('library')?.slice(0, 200) || null,
    query: parameters.get('q')?.slice(0, 2_000) || null,
    status,
    startedAt,
    ms: performance.now() - start,
    traceparent: request.headers.get('traceparent'),
  }
}

/** Of a batch each message counts, so that many in one request are no way around a limit. */
async function messagesIn(text: string): Promise<number> {
  const batch = await Promise.try(() => parseJson(text)).catch(() => null)
  return Array.isArray(batch) ? Math.max(1, batch.length) : 1
}

/** What begins so is one message. */
const openBrace = 0x7b

/** A stream of changes has no end of its own; it ends with the server, and with the key. */
function listening(request: Request, ends: readonly AbortSignal[]): Request {
  if (!isListening(request)) return request
  return new Request(request, { signal: AbortSignal.any([request.signal, ...ends]) })
}

function isListening({ headers }: Request): boolean {
  return headers.get('mcp-method') === 'subscriptions/listen'
}

/** `server.stop` waits also for connections on which no whole head of a request has come. */
async function allAnswered(server: Bun.Server<undefined>): Promise<void> {
  do await Bun.sleep(pollMs)
  while (server.pendingRequests > 0)
}

const pollMs = 100

/**
 * The SDK's entry of each face, opened by its first request; of more than `mostEntries` the one
 * that was not asked for longest is closed, and with it the streams of changes that it has.
 */
function openEntries({ bodyBytes, warn }: { bodyBytes: number; warn(line: string): void }) {
  const entries = new Map<Face, ReturnType<typeof open>>()
  function open(face: Face) {
    const entry = createMcpHandler(() => openServer(face), {
      maxRequestBodySize: bodyBytes,
      onerror: ({ message }) => warn(message),
    })
    const changes = face.og && watchLibraries(face.og, () => entry.notify.resourcesChanged())
    const close = async () => {
      changes?.[Symbol.dispose]()
      await entry.close()
    }
    return { entry, close, calls: 0 }
  }
  function closeOldest(): void {
    for (const [face, one] of entries) {
      if (entries.size <= mostEntries) return
      if (one.calls > 0) continue
      entries.delete(face)
      void one.close()
    }
  }
  return {
    /** `clientId`: the name of the key that it comes with. */
    async fetch(face: Face, request: Request, clientId: string | null): Promise<Response> {
      const opened = entries.get(face) ?? open(face)
      // The last of the map is the one that was asked last.
      entries.delete(face)
      entries.set(face, opened)
      opened.calls++
      closeOldest()
      const end = () => void opened.calls--
      const authInfo = clientId === null ? {} : { authInfo: { token: '', clientId, scopes: [] } }
      const answer = await opened.entry.fetch(request, authInfo).catch((error) => {
        end()
        throw error
      })
      const isStream = answer.headers.get('content-type')?.startsWith('text/event-stream') === true
      // A stream of changes has no end of its own: it ends with the entry.
      if (isStream && !isListening(request)) return whenSent(answer, end)
      end()
      return answer
    },
    async close(): Promise<void> {
      for (const { close } of entries.values()) await close()
    },
  }
}

/** Each looks at the registry every two seconds. */
const mostEntries = 200

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

/** Not by URL: a request with an odd Host has one that does not parse. */
function pathOf({ url }: Request): string {
  return url.replace(/^[a-z]+:\/\/[^/]*/i, '').replace(/[?#].*$/s, '')
}

function notFound(path: string): string {
  return path.startsWith('/mcp/') ? 'There is no such endpoint for you' : 'The endpoint is /mcp'
}

function openToAll(hostname: string, hint: string): OgError {
  const what = `Cannot serve at ${hostname} without a token: anybody there could search`
  return new OgError(what, { hint })
}
