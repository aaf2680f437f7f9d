import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { bearerOf } from '../mcp/http/http-gate.ts'

export type PageKey<R> = { secret: string; right: R }

/** Authentication of requests, and protection of forms against CSRF. */
export type Access<R> = {
  /**
   * Returns the right of the key in the header or the login cookie, or null if neither has a valid
   * key.
   */
  rightOf(request: Request): R | null
  /** Returns the value of `Set-Cookie` if `key` is valid, otherwise null. */
  login(request: Request, key: string): string | null
  formToken(request: Request): string
  /**
   * True if the form was submitted from a page of this site. `token` is the CSRF token in the form.
   */
  isOurForm(request: Request, token: string | null): boolean
}

const cookieName = 'og_page'
const cookieSeconds = 30 * 24 * 60 * 60

/** Keys that are stored as hashes and can change while the server runs. */
export type PageRing<R> = { find(secret: string): R | null; stamp(): string }

/**
 * Stores logins only in cookies, so that servers with the same keys accept each other's logins. A
 * login is valid as long as its key, up to 30 days. For a key of the ring, the cookie contains the
 * key itself. If the cookie were derived from the hash, anyone with the file of hashes could forge
 * it.
 */
export function openAccess<R>(
  keys: readonly PageKey<R>[],
  ring: PageRing<R> | null = null,
): Access<R> {
  const secrets = keys.map(({ secret }) => secret)
  const chance = randomBytes(32)
  const shared = () => {
    if (keys.length > 0) return hmacOf(JSON.stringify(secrets), 'og page')
    return ring === null ? chance : hmacOf(ring.stamp(), 'og page')
  }
  const inRing = (secret: string) => {
    const isOne = ring !== null && /^[\w-]{16,}$/.test(secret)
    return isOne ? ring.find(secret) : null
  }
  const cookie = (secret: string, expires: string) =>
    `${expires}.${hmacOf(hmacOf(secret, 'og page'), `login ${expires}`).toString('base64url')}`
  const isLogin = (value: string, secret: string) => {
    const [expires = ''] = value.split('.')
    return Number(expires) * 1000 > Date.now() && isSame(value, cookie(secret, expires))
  }
  const formToken = (request: Request) => {
    const cookie = cookieOf(request)
    const own = inRing(cookie) === null ? shared() : hmacOf(cookie, 'og page')
    return hmacOf(own, `form ${cookie}`).toString('base64url')
  }
  return {
    rightOf(request) {
      const sent = bearerOf(request) ?? ''
      const login = cookieOf(request)
      const matches = keys.filter(({ secret }) => isSame(sent, secret) || isLogin(login, secret))
      return matches[0]?.right ?? inRing(sent) ?? inRing(login)
    },
    login(request, text) {
      const [match] = keys.filter(({ secret }) => isSame(text.trim(), secret))
      const isOfRing = match === undefined && inRing(text.trim()) !== null
      if (match === undefined && !isOfRing) return null
      const expires = String(Math.floor(Date.now() / 1000) + cookieSeconds)
      const value = match === undefined ? text.trim() : cookie(match.secret, expires)
      const secure = /^https:/.test(request.headers.get('origin') ?? '') ? '; Secure' : ''
      const rules = `Path=/; Max-Age=${cookieSeconds}; HttpOnly; SameSite=Strict${secure}`
      return `${cookieName}=${value}; ${rules}`
    },
    formToken,
    isOurForm(request, token) {
      const site = request.headers.get('sec-fetch-site')
      return (site === null || site === 'same-origin') && isSame(token ?? '', formToken(request))
    },
  }
}

export const expiredCookie = `${cookieName}=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict`

function cookieOf(request: Request): string {
  return new Bun.CookieMap(request.headers.get('cookie') ?? '').get(cookieName) ?? ''
}

function hmacOf(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}

/** Compares digests of equal lengths, so that the duration reveals nothing about the secret. */
function isSame(sent: string, expected: string): boolean {
  const [a, b] = [sent, expected].map((text) => hmacOf('compare', text))
  return timingSafeEqual(a!, b!)
}
