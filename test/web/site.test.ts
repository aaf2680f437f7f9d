import { expect, test } from 'bun:test'
import { formTokenIn, openTestSite } from '../support/page/site.ts'
import { disposeAfterAll } from '../support/run/dispose.ts'

const token = 'a-token-of-some-length'

const open = disposeAfterAll(await openTestSite())
const locked = disposeAfterAll(await openTestSite({ token }))

test('reports an unknown path on a page', async () => {
  for (const path of ['/none', '/assets/x', '/..%2f']) {
    const { status, headers, text } = await open.ask(path)
    expect([status, headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8'])
    expect(text).toContain('Page not found')
  }
})

test('changes things only by forms of this site', async () => {
  const forms: Record<string, string>[] = [{}, { form: '' }, { form: 'x' }]
  for (const form of forms) {
    const { status, text } = await open.ask('/', { form })
    expect([status, text.includes('<h1>Form expired</h1>')]).toEqual([403, true])
  }
  const request = { method: 'PUT' }
  const { status, text } = await open.ask('/', request)
  expect([status, text.includes('<h1>Method not allowed</h1>')]).toEqual([405, true])
})

test('offers no login if no token is set', async () => {
  expect((await open.ask('/login')).status).toBe(404)
  expect((await open.ask('/')).text).not.toContain('Log out')
})

test('redirects to the login and back if a token is set', async () => {
  for (const path of ['/', '/read?url=a&library=b', '/hits?q=a', '/none']) {
    const { status, headers, text } = await locked.ask(path)
    expect([status, text]).toEqual([303, ''])
    expect(headers.get('location')).toBe(`/login?${new URLSearchParams({ to: path })}`)
  }
  const asked = await locked.ask(`/login?${new URLSearchParams({ to: '/hits?q=a' })}`)
  const sent = { form: formTokenIn(asked.text), to: '/hits?q=a' }
  const wrong = await locked.ask('/login', { form: { ...sent, token: 'wrong' } })
  expect([wrong.status, wrong.headers.get('set-cookie')]).toEqual([401, null])
  expect(wrong.text).toContain('Wrong token')
  const right = await locked.ask('/login', { form: { ...sent, token } })
  expect([right.status, right.headers.get('location')]).toEqual([303, '/hits?q=a'])
  const cookie = right.headers.get('set-cookie')!.split(';')[0]!
  const home = await locked.ask('/', { headers: { cookie } })
  expect([home.status, home.text.includes('Log out')]).toEqual([200, true])
  const out = await locked.ask('/logout', {
    form: { form: formTokenIn(home.text) },
    headers: { cookie },
  })
  expect(out.headers.get('set-cookie')).toContain('Max-Age=0')
})

test('never redirects to another server after a login', async () => {
  const form = formTokenIn((await locked.ask('/login')).text)
  for (const to of [
    '//evil.example',
    '/\\evil.example',
    'https://evil.example',
    '/\t/evil.example',
    '',
  ]) {
    const { headers } = await locked.ask('/login', { form: { form, token, to } })
    expect(headers.get('location')).toBe('/')
  }
})

test('rejects a login form of another site', async () => {
  expect((await locked.ask('/login', { form: { token } })).status).toBe(403)
})
