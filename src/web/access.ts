import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/** Who may look, and whose form it is that would change something. */
export type Access = {
  /** With the token, in a header or by a cookie that a login set; without a token everybody. */
  mayLook(request: Request): boolean
  /** The value of `Set-Cookie` for who sent the right token; else null. */
  login(request: Request, typed: string): string | null
  /** What a form of ours holds, and no other site can know. */
  formToken(request: Request): string
  /** Whether a browser sent it from a page of ours. */
  isOurForm(request: Request, typed: string | null): boolean
}

const cookieName = 'og_page'
const cookieSeconds = 30 * 24 * 60 * 60

/** By cookies alone, so nothing is kept here: a login lasts as long as the token, or 30 days. */
export function openAccess(token: string | null): Access {
  const secret = token === null ? randomBytes(32) : keyed(token, 'og page')
  const seal = (text: string) => keyed(secret, text).toString('base64url')
  const cookie = (expires: string) => `${expires}.${seal(`login ${expires}`)}`
  const isLogin = (value: string) => {
    const [expires = ''] = value.split('.')
    return Number(expires) * 1000 > Date.now() && isSame(value, cookie(expires))
  }
  const formToken = (request: Request) => seal(`form ${cookieOf(request)}`)
  return {
    mayLook(request) {
      if (token === null) return true
      const sent = /^bearer +(.*)$/i.exec(request.headers.get('authorization') ?? '')?.[1]
      return isSame(sent ?? '', token) || isLogin(cookieOf(request))
    },
    login(request, typed) {
      if (token === null || !isSame(typed.trim(), token)) return null
      const expires = String(Math.floor(Date.now() / 1000) + cookieSeconds)
      const secure = /^https:/.test(request.headers.get('origin') ?? '') ? '; Secure' : ''
      const rules = `Path=/; Max-Age=${cookieSeconds}; HttpOnly; SameSite=Strict${secure}`
      return `${cookieName}=${cookie(expires)}; ${rules}`
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
function isSame(sent: string, wanted: string): boolean {
  const [a, b] = [sent, wanted].map((text) => keyed('compare', text))
  return timingSafeEqual(a!, b!)
}
