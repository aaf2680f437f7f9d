import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { bearerOf } from '../mcp/http/http-gate.ts'

/** A secret, and what who knows it may do. */
export type PageKey<R> = { secret: string; right: R }

/** Who comes with a request, and whose form it is that would change something. */
export type Access<R> = {
  /** By a key, in a header or by a cookie that a login set; null: nobody knows who it is. */
  rightOf(request: Request): R | null
  /** The value of `Set-Cookie` for who sent a key; else null. */
  login(request: Request, typed: string): string | null
  /** What a form of ours holds, and no other site can know. */
  formToken(request: Request): string
  /** Whether a browser sent it from a page of ours. */
  isOurForm(request: Request, typed: string | null): boolean
}

const cookieName = 'og_page'
const cookieSeconds = 30 * 24 * 60 * 60

/** Keys of which only hashes are known here, and which may change. */
export type PageRing<R> = {
  find(secret: string): R | null
  /** The same for every server with the same keys. */
  stamp(): string
}

/**
 * By cookies alone, so nothing is kept here, and servers with the same keys know each other's
 * logins: they last as long as the key, or 30 days. The cookie of a key of the ring is that key,
 * since what could stand for it here would open as much to who reads the file of hashes.
 */
export function openAccess<R>(
  keys: readonly PageKey<R>[],
  ring: PageRing<R> | null = null,
): Access<R> {
  const secrets = keys.map(({ secret }) => secret)
  const chance = randomBytes(32)
  const shared = () => {
    if (keys.length > 0) return keyed(JSON.stringify(secrets), 'og page')
    return ring === null ? chance : keyed(ring.stamp(), 'og page')
  }
  const inRing = (secret: string) => {
    const isOne = ring !== null && /^[\w-]{16,}$/.test(secret)
    return isOne ? ring.find(secret) : null
  }
  const cookie = (secret: string, expires: string) =>
    `${expires}.${keyed(keyed(secret, 'og page'), `login ${expires}`).toString('base64url')}`
  const isLogin = (value: string, secret: string) => {
    const [expires = ''] = value.split('.')
    return Number(expires) * 1000 > Date.now() && isSame(value, cookie(secret, expires))
  }
  const formToken = (request: Request) => {
    const cookie = cookieOf(request)
    const own = inRing(cookie) === null ? shared() : keyed(cookie, 'og page')
    return keyed(own, `form ${cookie}`).toString('base64url')
  }
  return {
    rightOf(request) {
      const sent = bearerOf(request) ?? ''
      const login = cookieOf(request)
      const matches = keys.filter(({ secret }) => isSame(sent, secret) || isLogin(login, secret))
      return matches[0]?.right ?? inRing(sent) ?? inRing(login)
    },
    login(request, typed) {
      const [match] = keys.filter(({ secret }) => isSame(typed.trim(), secret))
      const isOfRing = match === undefined && inRing(typed.trim()) !== null
      if (match === undefined && !isOfRing) return null
      const expires = String(Math.floor(Date.now() / 1000) + cookieSeconds)
      const value = match === undefined ? typed.trim() : cookie(match.secret, expires)
      const secure = /^https:/.test(request.headers.get('origin') ?? '') ? '; Secure' : ''
      const rules = `Path=/; Max-Age=${cookieSeconds}; HttpOnly; SameSite=Strict${secure}`
      return `${cookieName}=${value}; ${rules}`
    },
    formToken,
    isOurForm(request, typed) {
      const site = request.headers.get('sec-fetch-site')
      return (site === null || site === 'same-origin') && isSame(typed ?? '', formToken(request))
    },
  }
}

export const forgottenCookie = `${cookieName}=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict`

function cookieOf(request: Request): string {
  const all = (request.headers.get('cookie') ?? '').split(/; */)
  return all.find((one) => one.startsWith(`${cookieName}=`))?.slice(cookieName.length + 1) ?? ''
}

function keyed(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}

/** Digests have one length, so that the time says nothing of what was right. */
function isSame(sent: string, expected: string): boolean {
  const [a, b] = [sent, expected].map((text) => keyed('compare', text))
  return timingSafeEqual(a!, b!)
}
