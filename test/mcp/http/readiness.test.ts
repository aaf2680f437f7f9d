import { expect, test } from 'bun:test'
import { rmSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { serveOverHttp, type HttpOptions } from '../../../src/mcp/http/http.ts'
import { openSite } from '../../../src/mcp/http/site.ts'
import { openReadiness } from '../../../src/mcp/http/readiness.ts'
import { clientMeta, openMcpHome } from '../../support/mcp.ts'
import { until } from '../../support/until.ts'
import { disposeAfterAll } from '../../support/run/dispose.ts'

let warnings: string[] = []
const home = disposeAfterAll(await openMcpHome())
await home.add('kit', '1', { 'a.md': '# A\n\nzither\n' })
await home.add('lid', '2', { 'a.md': '# A\n\nlute\n' })

const token = 'a-token-of-some-length'

function serve(libraries: string[], options: Partial<HttpOptions> & { token?: string } = {}) {
  warnings = []
  const warn = (line: string) => void warnings.push(line)
  const readiness = openReadiness(home.og, { libraries, warn })
  const site = openSite(home.face(), options.token ?? null, { readiness })
  const place = { hostname: '127.0.0.1', port: 0, allowedHosts: [], warn }
  const server = serveOverHttp(site, { ...place, ...options })
  const ready = async (headers = {}) => {
    const answer = await fetch(new URL('/ready', server.url), { headers })
    return [answer.status, (await answer.json()) as any] as const
  }
  return { ...server, readiness, ready, [Symbol.asyncDispose]: server.close }
}

test('is ready once the configured libraries are open, and names them', async () => {
  await using server = serve(['kit@1', 'none'])
  expect<unknown>(await server.ready()).toEqual([503, { status: 'warming', warm: [] }])
  await server.readiness.warm()
  const warm = [{ library: 'kit', version: '1' }]
  expect<unknown>(await server.ready()).toEqual([200, { status: 'ready', warm }])
  expect(warnings).toEqual(['cannot open none in advance: Library "none" not found'])
})

test('hides library names from clients without a key', async () => {
  await using server = serve([], { token })
  expect<unknown>(await server.ready()).toEqual([200, { status: 'ready' }])
  expect<unknown>(await server.ready({ Authorization: 'Bearer wrong' })).toEqual([
    200,
    { status: 'ready' },
  ])
  const [, body] = await server.ready({ Authorization: `Bearer ${token}` })
  expect(body.warm).toEqual([{ library: 'kit', version: '1' }])
})

test('shows library names to authorised clients, and the state to everyone', async () => {
  const Authorization = `Bearer ${token}`
  await using server = serve([], { token, limits: { perSecond: 0.001, burst: 2 } })
  const plain = [200, { status: 'ready' }]
  expect<unknown>(await server.ready({ Authorization, Host: 'evil.example' })).toEqual(plain)
  expect((await server.ready({ Authorization }))[1].warm).toBeArray()
  expect<unknown>(await server.ready({ Authorization })).toEqual(plain)
  await using open = serve([])
  const Origin = 'http://evil.example'
  expect<unknown>(await open.ready({ Origin })).toEqual(plain)
  expect((await open.ready())[1].warm).toBeArray()
})

test('keeps answering but reports not ready while it stops', async () => {
  const server = serve([], { limits: { stopDelayMs: 200_000 } })
  expect((await server.ready())[0]).toBe(200)
  void server.close()
  expect(await server.ready()).toMatchObject([503, { status: 'stopping' }])
  const ping = { jsonrpc: '2.0', id: 1, method: 'ping', params: {} }
  const headers = {
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
  }
  const body = JSON.stringify(ping)
  expect((await fetch(server.url, { method: 'POST', headers, body })).status).toBe(200)
})

test('closes without waiting for change streams', async () => {
  const server = serve([], { limits: { drainMs: 200_000 } })
  const params = { _meta: clientMeta, notifications: { resourcesListChanged: true } }
  const answer = await fetch(server.url, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      'MCP-Protocol-Version': '2026-07-28',
      'Mcp-Method': 'subscriptions/listen',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params }),
  })
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/event-stream'])
  await Promise.all([server.close(), answer.text().catch(() => {})])
}, 8_000)

test('reports not ready if the store cannot be read', async () => {
  await using server = serve([])
  const { dbPath } = await home.og.places()
  const registry = join(dbPath, 'registry.json')
  renameSync(registry, `${registry}.kept`)
  await until('the store is missed', async () => (await server.ready())[1].status === 'no store')
  rmSync(registry, { force: true })
  renameSync(`${registry}.kept`, registry)
  await until('it is found again', async () => (await server.ready())[0] === 200)
})
