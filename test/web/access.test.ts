import { expect, test } from 'bun:test'
import { openAccess } from '../../src/web/access.ts'

const token = 'a-token-of-some-length'
const key = { secret: token, right: 'all' }

function request(headers: Record<string, string> = {}): Request {
  return new Request('http://localhost/', { headers })
}

function cookieOf(set: string): Record<string, string> {
  return { cookie: set.split(';')[0]! }
}

test('if a token is set, accepts requests with it and browsers that logged in with it', () => {
  const access = openAccess([key])
  expect(access.rightOf(request())).toBe(null)
  expect(access.rightOf(request({ authorization: `Bearer ${token}` }))).toBe('all')
  for (const wrong of ['', 'x', `${token}x`, ' ']) expect(access.login(request(), wrong)).toBe(null)
  const set = access.login(request(), ` ${token}\n`)!
  expect(set).toMatch(/^og_page=\d+\.[\w-]+; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Strict$/)
  expect(access.rightOf(request(cookieOf(set)))).toBe('all')
  // A login survives a restart of the server, but not a change of the token.
  expect(openAccess([key]).rightOf(request(cookieOf(set)))).toBe('all')
  expect(
    openAccess([{ secret: 'another-token-of-ours', right: 'all' }]).rightOf(request(cookieOf(set))),
  ).toBe(null)
})

test('a login expires, and the client cannot extend it', () => {
  const access = openAccess([key])
  const [name, expires, seal] = access.login(request(), token)!.split(/[=.;]/)
  const later = { cookie: `${name}=${Number(expires) + 1}.${seal}` }
  expect(access.rightOf(request(later))).toBe(null)
  for (const value of ['', 'x', '.', `1.${seal}`, `${expires}.`, `NaN.${seal}`]) {
    expect(access.rightOf(request({ cookie: `${name}=${value}` }))).toBe(null)
  }
})

test('marks the cookie as Secure behind TLS', () => {
  const set = openAccess([key]).login(request({ origin: 'https://docs.example' }), token)
  expect(set).toEndWith('; Secure')
})

test('checks the token and the Fetch metadata of a form', () => {
  const access = openAccess([])
  const mine = access.formToken(request())
  expect(access.isOurForm(request(), mine)).toBe(true)
  expect(access.isOurForm(request({ 'sec-fetch-site': 'same-origin' }), mine)).toBe(true)
  for (const site of ['cross-site', 'same-site', 'none']) {
    expect(access.isOurForm(request({ 'sec-fetch-site': site }), mine)).toBe(false)
  }
  for (const wrong of [null, '', mine.slice(1), openAccess([]).formToken(request())]) {
    expect(access.isOurForm(request(), wrong)).toBe(false)
  }
})

test('rejects the form token of another login', () => {
  const access = openAccess([key])
  const [one, other] = ['1', '2'].map((value) => request({ cookie: `og_page=${value}` }))
  expect(access.isOurForm(other!, access.formToken(one!))).toBe(false)
})
