import { createHash, timingSafeEqual } from 'node:crypto'
import { isIP } from 'node:net'
import {
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  originValidationResponse,
} from '@modelcontextprotocol/server'
import type { RateLimit } from './rate-limit.ts'

/** A secret that clients send as `Authorization: Bearer SECRET`. */
export type BearerKey = { readonly secret: string }

export type GateOptions = { hostname: string; allowedHosts: readonly string[]; rate: RateLimit }

type Gate = (request: Request, client: string) => Response | null

export type Caller = {
  name: string
  /**
   * Takes `requests` from the caller's quota and returns 0. If the quota is exhausted, returns the
   * number of seconds to wait.
   */
  wait(requests: number): number
  /** Aborts when the key becomes invalid. */
  revoked: AbortSignal
}

/**
 * Returns the key of a request, or the response that rejects it. The key is null if the server
 * requires no key.
 */
export type KeyCheck<K> = (request: Request) => Response | { key: K | null }

/**
 * Rejects requests with a foreign Host or Origin, which web pages send in a DNS rebinding attack. A
 * proxy may change Host, but Origin is always the address in the browser.
 */
export function openGate(options: GateOptions): Gate {
  const { hostname, rate } = options
  const isWildcard = hostname === '0.0.0.0' || hostname === '::'
  const own = isWildcard ? [] : [hostname.includes(':') ? `[${hostname}]` : hostname]
  const allowed = [...localhostAllowedHostnames(), ...own, ...options.allowedHosts].map(parseHost)
  const names = allowed.map(({ name }) => name)
  return (request, client) => {
    const waitSeconds = rate(client)
    if (waitSeconds > 0) return tooManyRequests(waitSeconds)
    const host = request.headers.get('host') ?? ''
    const calledHost = parseHost(host)
    // DNS rebinding needs a name, so a server on a wildcard address accepts any of its IP
    // addresses.
    const isAddress = isWildcard && isIP(calledHost.name.replace(/^\[|\]$/g, '')) !== 0
    const foreign =
      (isAddress ? undefined : foreignHost(request, calledHost, allowed)) ??
      originValidationResponse(request, isAddress ? [...names, calledHost.name] : names) ??
      foreignPort(request, calledHost, options.allowedHosts.map(parseHost))
    return foreign ?? null
  }
}

/**
 * Checks that each request has one of the keys. Without keys, all requests pass. Compares all
 * digests, which have equal lengths, so that the response time reveals nothing.
 */
export function openKeyCheck<K extends BearerKey>(keys: readonly K[]): KeyCheck<K> {
  const digests = keys.map((key) => ({ key, digest: digest(key.secret) }))
  return (request) => {
    if (keys.length === 0) return { key: null }
    const secret = bearerOf(request)
    if (secret === null) return unauthorized()
    const sent = digest(secret)
    const [match] = digests.filter(({ digest }) => timingSafeEqual(digest, sent))
    return match === undefined ? unauthorized() : { key: match.key }
  }
}

/** Returns the secret in `Authorization: Bearer SECRET`, or null if it is missing or blank. */
export function bearerOf(request: Request): string | null {
  return /^bearer +(.+)$/i.exec(request.headers.get('authorization') ?? '')?.[1] ?? null
}

export function unauthorized(): Response {
  return jsonRpcRefusal(401, 'Unauthorized', { 'WWW-Authenticate': 'Bearer' })
}

export function tooManyRequests(waitSeconds: number): Response {
  const headers = { 'Retry-After': String(Math.ceil(waitSeconds)) }
  return jsonRpcRefusal(429, 'Too many requests', headers)
}

export function jsonRpcRefusal(
  status: number,
  message: string,
  headers: Record<string, string> = {},
): Response {
  const error = { code: -32_000, message }
  return Response.json({ jsonrpc: '2.0', error, id: null }, { status, headers })
}

/** A null `port` matches any port. */
type Host = { name: string; port: string | null }

function parseHost(text: string): Host {
  const [, name, port = '*'] = /^(.*?)(?::(\d+|\*))?$/s.exec(text.trim().toLowerCase())!
  return { name: name!, port: port === '*' ? null : port }
}

function foreignHost(request: Request, calledHost: Host, allowed: Host[]): Response | undefined {
  const refused = hostHeaderValidationResponse(
    request,
    allowed.map(({ name }) => name),
  )
  if (refused !== undefined) return refused
  const isHere = ({ name, port }: Host) =>
    name === calledHost.name && (port === null || port === (calledHost.port ?? '80'))
  return allowed.some(isHere) ? undefined : jsonRpcRefusal(403, `Invalid Host: ${calledHost.name}`)
}

/**
 * Rejects pages from other servers on this machine, unless the user allowed their host and port.
 */
function foreignPort(request: Request, called: Host, allowed: Host[]): Response | undefined {
  const origin = request.headers.get('origin')
  if (origin === null) return undefined
  const { hostname, port, protocol } = new URL(origin)
  const actual = port || (protocol === 'https:' ? '443' : '80')
  const isAllowed = allowed.some((it) => it.name === hostname && (it.port ?? actual) === actual)
  if (isAllowed || !localhostAllowedHostnames().includes(hostname)) return undefined
  if (actual === (called.port ?? '80')) return undefined
  return jsonRpcRefusal(403, `Invalid Origin: ${origin} is another server of this machine`)
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
