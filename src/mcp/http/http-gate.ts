import { createHash, timingSafeEqual } from 'node:crypto'
import { isIP } from 'node:net'
import {
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  originValidationResponse,
} from '@modelcontextprotocol/server'
import type { RateLimit } from './rate-limit.ts'

/** A secret that clients send as `Authorization: Bearer SECRET`. */
export type Key = { readonly secret: string }

export type GateOptions = {
  /** What the server listens at. */
  hostname: string
  /** Names, beside this machine's own, by which clients call: `host`, or `host:port`. */
  allowedHosts: readonly string[]
  rate: RateLimit
}

/** Turns a request away, or lets it in. */
type Gate = (request: Request, client: string) => Response | null

/** A client whose key has a name, limits and an end. */
export type Caller = {
  /** What the audit calls them. */
  name: string
  /** Counts so many requests; 0: they may pass, else the seconds to wait, and none was counted. */
  wait(requests: number): number
  /** Aborted when the key opens nothing any more. */
  revoked: AbortSignal
}

/** Turns a request without a key away, or says with which it comes; null: nobody is asked. */
export type KeyCheck<K> = (request: Request) => Response | { key: K | null }

/**
 * Requests with a foreign Host or Origin are refused: a page of the web whose name leads to this
 * machine (DNS rebinding) sends them. Behind a proxy Host is what the proxy sends, and Origin
 * always the address in the browser.
 */
export function openGate(options: GateOptions): Gate {
  const { hostname, rate } = options
  const isWildcard = hostname === '0.0.0.0' || hostname === '::'
  const own = isWildcard ? [] : [bracketed(hostname)]
  const allowed = [...localhostAllowedHostnames(), ...own, ...options.allowedHosts].map(parseHost)
  const names = allowed.map(({ name }) => name)
  return (request, client) => {
    const waitSeconds = rate(client)
    if (waitSeconds > 0) return tooMany(waitSeconds)
    const host = request.headers.get('host') ?? ''
    const called = parseHost(host)
    // Only names can be rebound; whoever listens on every address is called by any of them.
    const isAddress = isWildcard && isIP(called.name.replace(/^\[|\]$/g, '')) !== 0
    const foreign =
      (isAddress ? undefined : foreignHost(request, called, allowed)) ??
      originValidationResponse(request, isAddress ? [...names, called.name] : names)
    return foreign ?? null
  }
}

/**
 * Checks that each request comes with one of the keys; without any keys all requests pass. Digests
 * have one length whatever was sent, and all of them are compared, so that the time tells nothing.
 */
export function openLock<K extends Key>(keys: readonly K[]): KeyCheck<K> {
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

/** What a request sends as `Authorization: Bearer SECRET`; null: it sends none, or a blank one. */
export function bearerOf(request: Request): string | null {
  return /^bearer +(.+)$/i.exec(request.headers.get('authorization') ?? '')?.[1] ?? null
}

/** The answer to a request without a key, or with a wrong one. */
export function unauthorized(): Response {
  return refusal(401, 'Unauthorized', { 'WWW-Authenticate': 'Bearer' })
}

/** The answer to a client that asks too often. */
export function tooMany(waitSeconds: number): Response {
  const headers = { 'Retry-After': String(Math.ceil(waitSeconds)) }
  return refusal(429, 'Too many requests', headers)
}

/** A JSON-RPC error that belongs to no message. */
export function refusal(
  status: number,
  message: string,
  headers: Record<string, string> = {},
): Response {
  const error = { code: -32_000, message }
  return Response.json({ jsonrpc: '2.0', error, id: null }, { status, headers })
}

/** `port` is null where any counts. */
type Host = { name: string; port: string | null }

/** `Host:80`, `host`, `host:*`, `[::1]:80` */
function parseHost(text: string): Host {
  const [, name, port = '*'] = /^(.*?)(?::(\d+|\*))?$/s.exec(text.trim().toLowerCase())!
  return { name: name!, port: port === '*' ? null : port }
}

function foreignHost(request: Request, called: Host, allowed: Host[]): Response | undefined {
  const refused = hostHeaderValidationResponse(
    request,
    allowed.map(({ name }) => name),
  )
  if (refused !== undefined) return refused
  const isHere = ({ name, port }: Host) =>
    name === called.name && (port === null || port === (called.port ?? '80'))
  return allowed.some(isHere) ? undefined : refusal(403, `Invalid Host: ${called.name}`)
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

function bracketed(address: string): string {
  return address.includes(':') ? `[${address}]` : address
}
