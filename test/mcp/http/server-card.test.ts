import { expect, test } from 'bun:test'
import { version } from '../../../package.json'
import { answerDiscovery } from '../../../src/mcp/http/server-card.ts'
import { serveOverHttp } from '../../../src/mcp/http/http.ts'
import { openSite } from '../../../src/mcp/http/site.ts'
import { openMcpHome } from '../../support/mcp.ts'

const origin = 'https://docs.corp.example'
const fetchDocument = (path: string, headers = {}) =>
  answerDiscovery(new Request(`${origin}${path}`, { headers }), path, () => origin)

test('the catalog leads to the card, and the card to the endpoint', async () => {
  const catalog: any = await fetchDocument('/.well-known/ai-catalog.json')!.json()
  const [entry] = catalog.entries
  expect(entry).toEqual({
    identifier: 'urn:air:docs.corp.example:mcp:og',
    type: 'application/mcp-server-card+json',
    url: `${origin}/mcp/server-card`,
  })
  const answer = fetchDocument(new URL(entry.url).pathname)!
  expect(answer.headers.get('content-type')).toBe(entry.type)
  const card: any = await answer.json()
  expect(card).toMatchObject({ name: 'local/og', title: 'og', version })
  expect(card.description.length).toBeLessThanOrEqual(100)
  expect(card.remotes).toEqual([{ type: 'streamable-http', url: `${origin}/mcp` }])
})

test('answers 304 to a client that has the card, and null for other paths', () => {
  const etag = fetchDocument('/mcp/server-card')!.headers.get('etag')!
  expect(fetchDocument('/mcp/server-card', { 'If-None-Match': etag })!.status).toBe(304)
  expect(fetchDocument('/mcp')).toBe(null)
  expect(fetchDocument('/mcp/server-cards')).toBe(null)
})

test('a server shows its card without a key, with the scheme of a trusted proxy', async () => {
  await using home = await openMcpHome()
  const site = openSite(home.face(), 'a-token-of-some-length')
  const place = { hostname: '127.0.0.1', port: 0, allowedHosts: [], warn() {} }
  for (const [proxies, scheme] of [
    [['127.0.0.1'], 'https'],
    [[], 'http'],
  ] as const) {
    const server = serveOverHttp(site, { ...place, proxies })
    const url = `${server.url}/server-card`
    const answer = await fetch(url, { headers: { 'X-Forwarded-Proto': 'https' } })
    const card: any = await answer.json()
    expect(card.remotes[0].url).toBe(`${scheme}://${new URL(server.url).host}/mcp`)
    expect((await fetch(url, { method: 'POST' })).status).toBe(405)
    expect((await fetch(url, { headers: { Host: 'evil.example' } })).status).toBe(403)
    await server.close()
  }
})
