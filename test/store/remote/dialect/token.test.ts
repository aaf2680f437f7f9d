import { expect, test } from 'bun:test'
import { cachedToken } from '../../../../src/store/remote/dialect/token.ts'
import { serveLocal } from '../../../support/servers/serve-local.ts'

function serve(answer: (nth: number) => Response) {
  let nth = 0
  const server = serveLocal(() => answer(++nth))
  const url = `http://127.0.0.1:${server.port}/token?secret=never-to-be-printed`
  return {
    token: cachedToken(async () => ({ url, hint: 'set a key' })),
    times: () => nth,
    [Symbol.dispose]: () => void server.stop(true),
  }
}

const lasting = (seconds: number) => (nth: number) =>
  Response.json({ access_token: `token-${nth}`, expires_in: seconds })

test('requests a token once, even for several callers at a time', async () => {
  using tokens = serve(lasting(3_600))
  expect(await Promise.all([tokens.token(), tokens.token()])).toEqual(['token-1', 'token-1'])
  expect(await tokens.token()).toBe('token-1')
  expect(tokens.times()).toBe(1)
})

test('renews a token that expires within five minutes', async () => {
  using tokens = serve(lasting(299))
  expect([await tokens.token(), await tokens.token()]).toEqual(['token-1', 'token-2'])
})

test('caches a token whose expiry is a date', async () => {
  const on = String(Math.floor(Date.now() / 1000) + 3_600)
  using tokens = serve((nth) => Response.json({ access_token: `token-${nth}`, expires_on: on }))
  expect([await tokens.token(), await tokens.token()]).toEqual(['token-1', 'token-1'])
})

test('reports a missing token in one line with a remedy, and tries again on the next call', async () => {
  using tokens = serve((nth) =>
    nth === 1
      ? new Response('{"error": "denied", "secret": "never-to-be-printed"}', { status: 400 })
      : nth === 2
        ? Response.json({ access_token: 'two\nlines', expires_in: 9 })
        : lasting(3_600)(nth),
  )
  for (const why of ['it answers 400 denied', 'it answers 200']) {
    const error = await tokens.token().then(
      () => null,
      (error) => error,
    )
    expect(error.message).toMatch(/^Cannot use the store: no token from 127\.0\.0\.1:\d+: /)
    expect(error.message).toEndWith(why)
    expect(error.hint).toBe('set a key')
    expect(Bun.inspect(error)).not.toContain('never')
  }
  expect(await tokens.token()).toBe('token-3')
})
