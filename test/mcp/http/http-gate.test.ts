import { expect, test } from 'bun:test'
import { openGate, openKeyCheck, type GateOptions } from '../../../src/mcp/http/http-gate.ts'

const base: GateOptions = { hostname: '127.0.0.1', allowedHosts: [], rate: () => 0 }

/** Expects this status; 200 means that the gate lets the request pass. */
function check(
  options: Partial<GateOptions>,
  headers: Record<string, string>,
  expected: number,
): void {
  const request = new Request('http://127.0.0.1/mcp', { headers })
  const answer = openGate({ ...base, ...options })(request, 'client')
  expect(answer instanceof Response ? answer.status : 200).toBe(expected)
}

test('accepts only local and allowed host names', () => {
  for (const host of ['localhost:4241', '127.0.0.1:80', 'LOCALHOST']) check({}, { host }, 200)
  for (const host of ['evil.example', 'localhost.evil.example', '']) check({}, { host }, 403)
  const allowedHosts = ['docs.example:8443', 'any.example:*']
  check({ allowedHosts }, { host: 'docs.example:8443' }, 200)
  check({ allowedHosts }, { host: 'docs.example' }, 403)
  check({ allowedHosts }, { host: 'any.example:1' }, 200)
})

test('on a wildcard address, accepts any IP address as the host but no foreign name', () => {
  check({ hostname: '0.0.0.0' }, { host: '192.0.2.7:4241' }, 200)
  check({ hostname: '0.0.0.0' }, { host: 'evil.example' }, 403)
  check({}, { host: '192.0.2.7:4241' }, 403)
})

test('rejects a foreign Origin, also of another local server, and accepts its own', () => {
  check({}, { host: 'localhost', origin: 'http://evil.example' }, 403)
  check({}, { host: 'localhost:4241', origin: 'http://localhost:3000' }, 403)
  check({}, { host: 'localhost:4241', origin: 'https://localhost' }, 403)
  check({}, { host: 'localhost:4241', origin: 'http://localhost:4241' }, 200)
  check({}, { host: 'localhost:4241', origin: 'http://127.0.0.1:4241' }, 200)
  const allowedHosts = ['localhost:3000']
  check({ allowedHosts }, { host: 'localhost:4241', origin: 'http://localhost:3000' }, 200)
})

test('accepts the exact key and rejects similar ones', () => {
  const keys = [{ secret: 'first' }, { secret: 'second' }]
  const ask = (authorization: string) =>
    openKeyCheck(keys)(new Request('http://x', { headers: { authorization } }))
  expect(ask('Bearer second')).toEqual({ key: keys[1]! })
  expect(ask('bearer  first')).toEqual({ key: keys[0]! })
  for (const wrong of ['', 'first', 'Bearer', 'Bearer firs', 'Bearer FIRST', 'Basic first']) {
    expect((ask(wrong) as Response).status).toBe(401)
  }
  expect(openKeyCheck([])(new Request('http://x'))).toEqual({ key: null })
})

test('answers 429 with Retry-After before any other check', () => {
  const gate = openGate({ ...base, rate: () => 1.2 })
  const answer = gate(new Request('http://x', { headers: { host: 'evil.example' } }), 'client')
  expect(answer).toBeInstanceOf(Response)
  const { status, headers } = answer as Response
  expect([status, headers.get('retry-after')]).toEqual([429, '2'])
})
