import { expect, test } from 'bun:test'
import { openAccess } from '../../src/web/access.ts'

const token = 'a-token-of-some-length'

function request(headers: Record<string, string> = {}): Request {
  return new Request('http://localhost/', { headers })
}

function cookieOf(set: string): Record<string, string> {
  return { cookie: set.split(';')[0]! }
}

test('without a token everybody may look', () => {
  expect(openAccess(null).mayLook(request())).toBe(true)
})

test('with a token only who sends it, or has logged in with it', () => {
  const access = openAccess(token)
  expect(access.mayLook(request())).toBe(false)
  expect(access.mayLook(request({ authorization: `Bearer ${token}` }))).toBe(true)
  for (const wrong of ['', 'x', `${token}x`, ' ']) expect(access.login(request(), wrong)).toBe(null)
  const set = access.login(request(), ` ${token}\n`)!
  expect(set).toMatch(/^og_page=\d+\.[\w-]+; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Strict$/)
  expect(access.mayLook(request(cookieOf(set)))).toBe(true)
  // It outlives this process, and not the token.
  expect(openAccess(token).mayLook(request(cookieOf(set)))).toBe(true)
  expect(openAccess('another-token-of-ours').mayLook(request(cookieOf(set)))).toBe(false)
})

test('a login ends, and its time cannot be changed', () => {
  const access = openAccess(token)
  const [name, expires, seal] = access.login(request(), token)!.split(/[=.;]/)
  const later = { cookie: `${name}=${Number(expires) + 1}.${seal}` }
  expect(access.mayLook(request(later))).toBe(false)
  for (const value of ['', 'x', '.', `1.${seal}`, `${expires}.`, `NaN.${seal}`]) {
    expect(access.mayLook(request({ cookie: `${name}=${value}` }))).toBe(false)
  }
})

test('behind TLS the cookie never leaves it', () => {
  const set = openAccess(token).login(request({ origin: 'https://docs.example' }), token)
  expect(set).toEndWith('; Secure')
})

test('a form is ours by its token and by what the browser says of it', () => {
  const access = openAccess(null)
  const mine = access.formToken(request())
  expect(access.isOurForm(request(), mine)).toBe(true)
  expect(access.isOurForm(request({ 'sec-fetch-site': 'same-origin' }), mine)).toBe(true)
  for (const site of ['cross-site', 'same-site', 'none']) {
    expect(access.isOurForm(request({ 'sec-fetch-site': site }), mine)).toBe(false)
  }
  for (const wrong of [null, '', mine.slice(1), openAccess(null).formToken(request())]) {
    expect(access.isOurForm(request(), wrong)).toBe(false)
  }
})

test('a form of one login is none of another', () => {
  const access = openAccess(token)
  const [one, other] = ['1', '2'].map((value) => request({ cookie: `og_page=${value}` }))
  expect(access.isOurForm(other!, access.formToken(one!))).toBe(false)
})
